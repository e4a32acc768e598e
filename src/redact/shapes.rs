//! Tokens that give themselves away by their first letters.

use std::ops::Range;

use super::extent::{Extent, LONG_BYTES, is_token_byte};
use super::rule::{Open, Verdict};
use super::text::{Text, is_blank};

/// A kind of token: how it starts, and how many bytes follow.
#[derive(Debug, Clone, Copy)]
pub(super) struct Shape {
    /// The first letters, as they are written.
    pub(super) prefix: &'static str,
    /// The fewest bytes behind the prefix.
    min: usize,
    /// The most bytes behind the prefix; longer is something else.
    max: Option<usize>,
    /// How many dots must be within; without, dots are no part of it.
    dots: usize,
    /// Whether there must be a figure: ordinary words start alike.
    needs_figure: bool,
}

const fn shape(prefix: &'static str, min: usize) -> Shape {
    Shape { prefix, min, max: None, dots: 0, needs_figure: false }
}

const fn exact(prefix: &'static str, length: usize) -> Shape {
    Shape { prefix, min: length, max: Some(length), dots: 0, needs_figure: true }
}

const fn dotted(prefix: &'static str, min: usize, dots: usize) -> Shape {
    Shape { prefix, min, max: None, dots, needs_figure: false }
}

const fn with_figure(prefix: &'static str, min: usize) -> Shape {
    Shape { prefix, min, max: None, dots: 0, needs_figure: true }
}

/// The kinds of tokens; lengths are below what the issuers use, so that a token cut short is found too.
pub(super) const SHAPES: [Shape; 67] = [
    // GitHub
    shape("ghp_", 20),
    shape("gho_", 20),
    shape("ghu_", 20),
    shape("ghs_", 20),
    shape("ghr_", 20),
    shape("github_pat_", 20),
    // GitLab
    shape("glpat-", 16),
    shape("gldt-", 16),
    shape("glrt-", 16),
    shape("glcbt-", 16),
    shape("glptt-", 16),
    shape("glft-", 16),
    shape("glsoat-", 16),
    shape("glagent-", 16),
    shape("gloas-", 16),
    // Slack
    shape("xoxb-", 10),
    shape("xoxp-", 10),
    shape("xoxa-", 10),
    shape("xoxr-", 10),
    shape("xoxs-", 10),
    shape("xoxc-", 10),
    shape("xoxd-", 10),
    dotted("xoxe.", 10, 0),
    shape("xoxe-", 10),
    shape("xapp-", 10),
    // Amazon, Google
    exact("AKIA", 16),
    exact("ASIA", 16),
    shape("AIza", 30),
    dotted("ya29.", 20, 0),
    shape("GOCSPX-", 20),
    // Payment
    with_figure("sk_live_", 10),
    with_figure("sk_test_", 10),
    with_figure("rk_live_", 10),
    with_figure("rk_test_", 10),
    with_figure("whsec_", 16),
    shape("sq0csp-", 20),
    // Models
    with_figure("sk-", 20),
    with_figure("gsk_", 30),
    shape("hf_", 30),
    shape("r8_", 30),
    shape("xai-", 40),
    shape("nvapi-", 30),
    // Package registries
    shape("npm_", 30),
    shape("pypi-", 40),
    shape("rubygems_", 30),
    shape("dckr_pat_", 16),
    shape("dckr_oat_", 16),
    // Mail and telephone
    dotted("SG.", 40, 1),
    exact("SK", 32),
    // Hosting and shops
    shape("dop_v1_", 40),
    shape("doo_v1_", 40),
    shape("dor_v1_", 40),
    shape("shpat_", 20),
    shape("shpss_", 20),
    shape("shpca_", 20),
    shape("pscale_tkn_", 20),
    shape("pscale_pw_", 20),
    shape("tskey-", 16),
    shape("glsa_", 20),
    shape("sntrys_", 20),
    shape("lin_api_", 20),
    shape("PMAK-", 20),
    shape("ATATT3", 30),
    shape("figd_", 20),
    // Vault, age
    dotted("hvs.", 20, 0),
    dotted("hvb.", 20, 0),
    shape("AGE-SECRET-KEY-1", 20),
];

/// Looks at the token that starts at `hit`.
pub(super) fn look(text: Text<'_>, hit: &Range<usize>, shape: &Shape) -> Result<Verdict, Open> {
    let clean = Ok(Verdict::Clean { resume: hit.start + 1 });
    if goes_on(text, hit.start) {
        return clean;
    }
    let extent = Extent::Token { dotted: shape.dots > 0 || shape.prefix.ends_with('.') };
    let end = extent.end(text, hit.end).unwrap_or(text.bytes.len());
    let body = &text.bytes[hit.end.min(end)..end];
    if shape.max.is_some_and(|max| body.len() > max) {
        return clean;
    }
    let is_whole = end < text.bytes.len() || text.ended;
    if !is_whole {
        return Err(Open::value(hit.start, hit.start, extent));
    }
    let has_dots = body.iter().filter(|byte| **byte == b'.').count() >= shape.dots;
    let has_figure = !shape.needs_figure || body.iter().any(u8::is_ascii_digit);
    let is_made = shape.max.is_none() || is_of_one_case(body);
    let is_secret = body.len() >= shape.min && has_dots && has_figure && is_made;
    if is_secret || shape.max.is_none() && end - hit.start >= LONG_BYTES {
        return Ok(Verdict::Secret { span: hit.start..end });
    }
    clean
}

/// Returns whether what stands at `at` is the rest of a longer word.
fn goes_on(text: Text<'_>, at: usize) -> bool {
    let is_escaped = at >= 2 && text.bytes[at - 2] == b'\\' && b"ntr".contains(&text.bytes[at - 1]);
    let is_encoded = at >= 3 && text.bytes[at - 3] == b'%';
    text.before(at).is_ascii_alphanumeric() && !is_escaped && !is_encoded
}

/// Returns whether a body of fixed length is in capitals and figures, or in small letters and figures.
fn is_of_one_case(body: &[u8]) -> bool {
    let is_one = |other: fn(&u8) -> bool| body.iter().all(|byte| byte.is_ascii_digit() || other(byte));
    is_one(u8::is_ascii_uppercase) || is_one(u8::is_ascii_lowercase)
}

/// The fewest bytes of a JSON web token.
const MIN_JWT_BYTES: usize = 30;

/// Looks at a JSON web token: three parts, the first an object in base64.
pub(super) fn look_jwt(text: Text<'_>, hit: &Range<usize>) -> Result<Verdict, Open> {
    let clean = Ok(Verdict::Clean { resume: hit.start + 1 });
    if goes_on(text, hit.start) {
        return clean;
    }
    let extent = Extent::Token { dotted: true };
    let end = extent.end(text, hit.start);
    let end = end.map_err(|_| Open::value(hit.start, hit.start, extent))?;
    let token = &text.bytes[hit.start..end];
    let dots = token.iter().filter(|byte| **byte == b'.').count();
    if token.len() >= LONG_BYTES || token.len() >= MIN_JWT_BYTES && dots >= 2 {
        return Ok(Verdict::Secret { span: hit.start..end });
    }
    clean
}

/// Looks behind the word `Bearer`.
pub(super) fn look_bearer(text: Text<'_>, hit: &Range<usize>) -> Result<Verdict, Open> {
    const MIN_BYTES: usize = 6;
    const MIN_BYTES_WITHOUT_FIGURE: usize = 20;
    let clean = Ok(Verdict::Clean { resume: hit.start + 1 });
    if is_token_byte(text.before(hit.start), false) {
        return clean;
    }
    let start = text.skip(hit.end, 8, is_blank).map_err(|_| Open::undecided(hit.start, text))?;
    if start == hit.end {
        return clean;
    }
    let extent = Extent::Word;
    let end = extent.end(text, start).map_err(|_| Open::value(hit.start, start, extent))?;
    let value = &text.bytes[start..end];
    let is_token = value.iter().all(|byte| byte.is_ascii_alphanumeric() || b"-._~+/=:|".contains(byte));
    let has_figure = value.iter().any(u8::is_ascii_digit);
    let min = if has_figure { MIN_BYTES } else { MIN_BYTES_WITHOUT_FIGURE };
    if value.len() >= LONG_BYTES || is_token && value.len() >= min {
        return Ok(Verdict::Secret { span: start..end });
    }
    clean
}
