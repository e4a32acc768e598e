//! Any bytes of the other side of a connection, on both sides: messages and screens, or errors; what was read is written as it was read.

#![no_main]

use libfuzzer_sys::fuzz_target;
use shtask::model::{Frame, Size};
use shtask::wire::screen::{read_frame, read_rows, write_frame, write_rows};
use shtask::wire::{FromClient, FromServer, Hello, Inbox, Outbox, Welcome};

/// Smaller than the product's, so that the limit is met.
const MAX_MESSAGE_BYTES: usize = 64 * 1024;

fuzz_target!(|bytes: &[u8]| {
    let mut inbox = Inbox::new(MAX_MESSAGE_BYTES);
    let mut screen = Frame::empty(Size::clamped(12, 4));
    for chunk in bytes.chunks(97) {
        inbox.space().extend_from_slice(chunk);
        while let Ok(Some(message)) = inbox.next_message() {
            let _ = Hello::read(&message.head);
            let _ = Welcome::read(&message.head);
            let _ = FromServer::read(&message.head);
            look(&message.bulk, &mut screen);
            if let Ok(read) = FromClient::read(message) {
                let mut outbox = Outbox::default();
                read.clone().write(&mut outbox);
                let mut again = Inbox::new(usize::MAX);
                again.space().extend_from_slice(outbox.unsent());
                let message = again.next_message().expect("frames").expect("a whole message");
                assert_eq!(FromClient::read(message).expect("a message"), read);
            }
        }
    }
    look(bytes, &mut screen);
});

fn look(bulk: &[u8], screen: &mut Frame) {
    if let Ok(rows) = read_rows(bulk) {
        assert_eq!(read_rows(&write_rows(&rows)).expect("rows"), rows);
    }
    if let Ok(next) = read_frame(bulk, Some(screen)) {
        assert_eq!(next.rows.len(), usize::from(next.size.rows()));
        let written = write_frame(&next, Some(screen));
        assert_eq!(read_frame(&written, Some(screen)).expect("a screen"), next);
        *screen = next;
    }
}
