//! Texts of the system in JSON: a plain text where they are UTF-8, else `{"hex": "…"}` with all their bytes, so that nothing is lost.
//!
//! For serde's `with`, on fields of [`OsString`], [`PathBuf`], and options, lists, pairs and shared ones of them.

use std::ffi::{OsStr, OsString};
use std::fmt::{self, Write as _};
use std::os::unix::ffi::{OsStrExt, OsStringExt};
use std::path::PathBuf;
use std::sync::Arc;

use serde::de::{Error as _, MapAccess, Visitor};
use serde::ser::SerializeMap;
use serde::{Deserialize, Deserializer, Serialize, Serializer};

/// A value with texts of the system in it.
pub trait OsTextual: Sized {
    /// The same with texts that serde takes.
    type Json: Serialize + for<'de> Deserialize<'de>;

    /// Returns that form.
    fn to_json(&self) -> Self::Json;

    /// Makes the value of that form.
    fn from_json(json: Self::Json) -> Self;
}

/// Writes a value.
///
/// # Errors
/// What the serializer says.
pub fn serialize<T: OsTextual, S: Serializer>(value: &T, to: S) -> Result<S::Ok, S::Error> {
    value.to_json().serialize(to)
}

/// Reads a value.
///
/// # Errors
/// What was read is no text of the system.
pub fn deserialize<'de, T: OsTextual, D: Deserializer<'de>>(from: D) -> Result<T, D::Error> {
    T::Json::deserialize(from).map(T::from_json)
}

/// One text of the system.
#[derive(Debug)]
pub struct OsText(OsString);

impl OsTextual for OsString {
    type Json = OsText;

    fn to_json(&self) -> OsText {
        OsText(self.clone())
    }

    fn from_json(json: OsText) -> OsString {
        json.0
    }
}

impl OsTextual for PathBuf {
    type Json = OsText;

    fn to_json(&self) -> OsText {
        OsText(self.clone().into_os_string())
    }

    fn from_json(json: OsText) -> PathBuf {
        json.0.into()
    }
}

impl<T: OsTextual> OsTextual for Option<T> {
    type Json = Option<T::Json>;

    fn to_json(&self) -> Self::Json {
        self.as_ref().map(T::to_json)
    }

    fn from_json(json: Self::Json) -> Self {
        json.map(T::from_json)
    }
}

impl<T: OsTextual> OsTextual for Vec<T> {
    type Json = Vec<T::Json>;

    fn to_json(&self) -> Self::Json {
        self.iter().map(T::to_json).collect()
    }

    fn from_json(json: Self::Json) -> Self {
        json.into_iter().map(T::from_json).collect()
    }
}

impl<T: OsTextual> OsTextual for Arc<T> {
    type Json = T::Json;

    fn to_json(&self) -> Self::Json {
        T::to_json(self)
    }

    fn from_json(json: Self::Json) -> Self {
        Arc::new(T::from_json(json))
    }
}

impl<A: OsTextual, B: OsTextual> OsTextual for (A, B) {
    type Json = (A::Json, B::Json);

    fn to_json(&self) -> Self::Json {
        (self.0.to_json(), self.1.to_json())
    }

    fn from_json(json: Self::Json) -> Self {
        (A::from_json(json.0), B::from_json(json.1))
    }
}

impl Serialize for OsText {
    fn serialize<S: Serializer>(&self, to: S) -> Result<S::Ok, S::Error> {
        match self.0.to_str() {
            Some(text) => to.serialize_str(text),
            None => {
                let mut map = to.serialize_map(Some(1))?;
                map.serialize_entry("hex", &hex(&self.0))?;
                map.end()
            }
        }
    }
}

impl<'de> Deserialize<'de> for OsText {
    fn deserialize<D: Deserializer<'de>>(from: D) -> Result<OsText, D::Error> {
        struct Either;

        impl<'de> Visitor<'de> for Either {
            type Value = OsText;

            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("a text, or {\"hex\": \"…\"}")
            }

            fn visit_str<E>(self, text: &str) -> Result<OsText, E> {
                Ok(OsText(text.into()))
            }

            fn visit_string<E>(self, text: String) -> Result<OsText, E> {
                Ok(OsText(text.into()))
            }

            fn visit_map<M: MapAccess<'de>>(self, mut map: M) -> Result<OsText, M::Error> {
                let entry = map.next_entry::<String, String>()?.filter(|(name, _)| name == "hex");
                let Some((_, digits)) = entry else {
                    return Err(M::Error::custom("a text that is no UTF-8 has one entry, `hex`"));
                };
                let bytes = bytes(&digits).ok_or_else(|| M::Error::custom("`hex` has two digits for each byte"))?;
                Ok(OsText(OsString::from_vec(bytes)))
            }
        }

        from.deserialize_any(Either)
    }
}

fn hex(text: &OsStr) -> String {
    let mut digits = String::with_capacity(text.len() * 2);
    for byte in text.as_bytes() {
        write!(digits, "{byte:02x}").expect("writing to a string does not fail");
    }
    digits
}

fn bytes(digits: &str) -> Option<Vec<u8>> {
    let digits = digits.as_bytes();
    let value = |digit: u8| char::from(digit).to_digit(16).and_then(|value| u8::try_from(value).ok());
    let pairs = digits.chunks_exact(2);
    if !pairs.remainder().is_empty() {
        return None;
    }
    pairs.map(|pair| Some(value(pair[0])? << 4 | value(pair[1])?)).collect()
}

#[cfg(test)]
mod tests {
    use super::super::{CommandSpec, EnvSpec, Mode, RunSpec};
    use super::*;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn a_spec_of_any_bytes_reads_back_as_it_was(
            words in proptest::collection::vec(proptest::collection::vec(any::<u8>(), 0..12), 1..4),
        ) {
            let texts: Vec<OsString> = words.into_iter().map(OsString::from_vec).collect();
            let mut spec = RunSpec::new(CommandSpec::Argv(texts.clone()), Mode::Pipes, PathBuf::from(&texts[0]));
            spec.env = EnvSpec {
                base: Arc::new(texts.iter().map(|text| (text.clone(), texts[0].clone())).collect()),
                files: texts.iter().map(PathBuf::from).collect(),
                unset: texts.clone(),
                ..EnvSpec::default()
            };
            spec.stop.command = texts.last().cloned();
            let json = serde_json::to_string(&spec).expect("json");
            prop_assert_eq!(serde_json::from_str::<RunSpec>(&json).expect("read back"), spec);
        }
    }

    #[test]
    fn text_is_text_and_only_other_bytes_are_hex() {
        let json = |bytes: &[u8]| serde_json::to_string(&OsText(OsString::from_vec(bytes.into()))).expect("json");
        assert_eq!(json("grün\n".as_bytes()), r#""grün\n""#);
        assert_eq!(json(b"/\xff"), r#"{"hex":"2fff"}"#);
        for bad in [r#"{"hex":"2"}"#, r#"{"hex":"xy"}"#, r#"{"b":"22"}"#, "{}", "7"] {
            assert!(serde_json::from_str::<OsText>(bad).is_err(), "{bad}");
        }
    }
}
