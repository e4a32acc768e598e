//! Numbers in raw bytes: seven bits a byte, the lowest first, the top bit for "more follows".

use super::WireError;

/// Appends a number.
pub(super) fn put(bytes: &mut Vec<u8>, mut number: u64) {
    while number >= 0x80 {
        bytes.push(u8::try_from(number & 0x7f).expect("seven bits") | 0x80);
        number >>= 7;
    }
    bytes.push(u8::try_from(number).expect("seven bits"));
}

/// Appends a count.
pub(super) fn put_count(bytes: &mut Vec<u8>, count: usize) {
    put(bytes, count as u64);
}

/// Bytes that are taken from the front.
pub(super) struct Taker<'a>(pub(super) &'a [u8]);

impl<'a> Taker<'a> {
    pub(super) fn byte(&mut self) -> Result<u8, WireError> {
        let (first, rest) = self.0.split_first().ok_or(WireError::Screen { what: "it ends too early" })?;
        self.0 = rest;
        Ok(*first)
    }

    pub(super) fn bytes(&mut self, count: usize) -> Result<&'a [u8], WireError> {
        let (taken, rest) = self.0.split_at_checked(count).ok_or(WireError::Screen { what: "it ends too early" })?;
        self.0 = rest;
        Ok(taken)
    }

    pub(super) fn text(&mut self, count: usize) -> Result<&'a str, WireError> {
        std::str::from_utf8(self.bytes(count)?).map_err(|_| WireError::Screen { what: "a text is no UTF-8" })
    }

    pub(super) fn number(&mut self) -> Result<u64, WireError> {
        let mut number = 0_u64;
        for shift in (0..64).step_by(7) {
            let byte = self.byte()?;
            let bits = u64::from(byte & 0x7f);
            if shift == 63 && bits > 1 {
                break;
            }
            number |= bits << shift;
            if byte & 0x80 == 0 {
                return Ok(number);
            }
        }
        Err(WireError::Screen { what: "a number is too long" })
    }

    /// Takes a number that has to fit a type.
    pub(super) fn small<T: TryFrom<u64>>(&mut self) -> Result<T, WireError> {
        T::try_from(self.number()?).map_err(|_| WireError::Screen { what: "a number is too large" })
    }
}
