//! `docs/keys.md` is made from the keymap.

use std::fmt::Write as _;
use std::path::Path;

use crate::tui::keys::{TABLES, label};

/// With this variable set the page is written instead of compared.
const UPDATE: &str = "UPDATE_GENERATED";

fn page() -> String {
    let mut page = String::from(
        "# Keys\n\nMade from the keymap by `.ci/run generate`; `?` shows the same inside shtask. `C-` is Ctrl, `S-` is Shift.\n\n\
         While **attached**, every key goes to the run but one: `C-a` (`attach_key` of [`[tui]`](configuration.md#tui)) leads back to the \
         list; pressed twice within a second it reaches the run. Keys typed while a run is still being started reach it once it runs. \
         Keys typed after it has ended do nothing; `C-a`, Enter or Esc lead back.\n",
    );
    for (title, table) in TABLES {
        write!(page, "\n## {title}\n\n| key | what it does |\n| --- | --- |\n").expect("to memory");
        for binding in *table {
            let keys: Vec<String> = binding.keys.iter().map(|key| format!("`{}`", label(*key))).collect();
            writeln!(page, "| {} | {} |", keys.join(" "), binding.help).expect("to memory");
        }
    }
    page.push_str(
        "\n## Mouse\n\nA click selects a run, gives the keys to its terminal, chooses from a menu, or does what the key at the bottom says \
         that was clicked. The wheel looks back through the output; over the list it selects. A run that asked for the mouse gets it \
         while attached; hold Shift to select text with the outer terminal.\n",
    );
    page
}

#[test]
fn the_page_of_keys_says_what_the_keymap_says() {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("docs/keys.md");
    if std::env::var_os(UPDATE).is_some() {
        std::fs::write(&path, page()).expect("docs/keys.md is written");
    }
    let there = std::fs::read_to_string(&path).unwrap_or_default();
    assert!(there == page(), "docs/keys.md is not up to date: {UPDATE}=1 cargo test keys_page writes it");
}
