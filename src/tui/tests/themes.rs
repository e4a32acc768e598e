//! Which theme is taken, and looks of the user's own.

use ratatui::style::{Color, Modifier, Style};

use super::stage::Stage;
use crate::settings::{Place, RoleLook, ThemeName, ThemeSettings};
use crate::tui::ColorChoice;
use crate::tui::event::{Event, Input};
use crate::tui::ground::Ground;
use crate::tui::theme::{ByGround, ROLES, Role, Theme};

fn role_looks(role: &str, style: crate::model::Style) -> ThemeSettings {
    let place = Place::Point { path: "/config.toml".into(), line: 3, column: 1 };
    ThemeSettings { name: ThemeName::Dark, looks: vec![RoleLook { role: role.into(), place, style }] }
}

#[test]
fn auto_follows_the_background_where_the_terminal_tells_it() {
    let named =
        |name, said: Option<&str>| Theme::named(name, ColorChoice::TrueColor, said.and_then(Ground::of_variable));
    assert_eq!(named(ThemeName::Auto, None), named(ThemeName::Sixteen, None));
    assert_eq!(named(ThemeName::Auto, Some("15;0")), named(ThemeName::Dark, None));
    assert_eq!(named(ThemeName::Auto, Some("0;default;15")), named(ThemeName::Light, None));
    assert_eq!(named(ThemeName::Auto, Some("rubbish")), named(ThemeName::Sixteen, None));
}

#[test]
fn no_color_wins_and_few_colours_are_the_terminals_own() {
    let none = Theme::named(ThemeName::None, ColorChoice::TrueColor, None);
    for name in ThemeName::ALL {
        assert_eq!(Theme::named(name, ColorChoice::None, Some(Ground::Dark)), none, "{name}");
    }
    let sixteen = Theme::named(ThemeName::Sixteen, ColorChoice::Sixteen, None);
    assert_eq!(Theme::named(ThemeName::Dark, ColorChoice::Sixteen, None), sixteen);
    assert_eq!(none.selected(true), Style::new().add_modifier(Modifier::REVERSED));
}

#[test]
fn a_look_of_the_user_takes_the_place_of_the_themes() {
    let bold_red = crate::model::Style {
        foreground: crate::model::Color::Indexed(9),
        attributes: crate::model::Attributes::BOLD,
        ..Default::default()
    };
    let settings = role_looks("selected", bold_red);
    let theme = Theme::new(&settings, ColorChoice::TrueColor, None).expect("a theme");
    assert_eq!(theme.selected(true), Style::new().fg(Color::LightRed).add_modifier(Modifier::BOLD));
    let theme = Theme::new(&settings, ColorChoice::None, None).expect("a theme");
    assert_eq!(theme.selected(true), Style::new().add_modifier(Modifier::BOLD), "without colours");
}

#[test]
fn an_unknown_role_is_told_with_its_place_and_the_nearest_name() {
    let problems = Theme::new(&role_looks("selectd", Default::default()), ColorChoice::TrueColor, None);
    let problem = problems.expect_err("no such role").remove(0);
    assert_eq!(problem.to_string(), "/config.toml:3:1: `selectd` is no role of [theme.colors]");
    assert_eq!(problem.hint.as_deref(), Some("did you mean `selected`?"));
    assert_eq!(Role::HeadInactive.name(), "head-inactive");
    assert_eq!(ROLES.len(), 23);
}

#[test]
fn a_colour_on_a_reversed_row_makes_no_block() {
    let theme = Theme::default();
    let over = theme.over(theme.selected(true), theme.status(crate::model::Status::Running));
    assert_eq!(over.fg, None);
    let dark = Theme::named(ThemeName::Dark, ColorChoice::TrueColor, None);
    let over = dark.over(dark.selected(true), dark.status(crate::model::Status::Running));
    assert!(over.fg.is_some() && over.bg == dark.selected(true).bg);
}

#[test]
fn auto_follows_the_background_that_the_terminal_tells_when_it_is_asked() {
    let auto = ThemeSettings { name: ThemeName::Auto, ..role_looks("selected", Default::default()) };
    let mut stage = Stage::demo((80, 24));
    stage.model.setup.by_ground = ByGround::new(&auto, ColorChoice::TrueColor);
    stage.model.dirty = false;
    for ground in [Ground::Light, Ground::Dark] {
        stage.event(Event::Input(Input::Ground(ground)));
        assert!(std::mem::take(&mut stage.model.dirty), "{ground:?} is drawn");
        let theme = Theme::new(&auto, ColorChoice::TrueColor, Some(ground)).expect("a theme");
        assert_eq!(stage.model.setup.theme, theme, "with the looks of the user's own");
        stage.event(Event::Input(Input::Ground(ground)));
        assert!(!stage.model.dirty, "nothing is new");
    }
    stage.event(Event::Input(Input::GroundChanged(Ground::Light)));
    let light = Theme::new(&auto, ColorChoice::TrueColor, Some(Ground::Light)).expect("a theme");
    assert_eq!(stage.model.setup.theme, light, "told by itself");
}

#[test]
fn nothing_is_asked_where_the_background_decides_nothing() {
    for name in ThemeName::ALL {
        for colors in [ColorChoice::None, ColorChoice::Sixteen, ColorChoice::Palette, ColorChoice::TrueColor] {
            let asks = ByGround::new(&ThemeSettings { name, looks: Vec::new() }, colors).is_some();
            assert_eq!(asks, name == ThemeName::Auto && colors > ColorChoice::Sixteen, "{name} {colors:?}");
        }
    }
    let mut stage = Stage::demo((80, 24));
    stage.model.dirty = false;
    stage.event(Event::Input(Input::Ground(Ground::Light)));
    assert!(!stage.model.dirty && stage.model.setup.theme == Theme::default(), "nobody has asked");
}
