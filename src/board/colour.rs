//! The words for colours that a board file may use. Ready shades are chosen so that dark writing stays
//! legible on them; anything else is written as `#rrggbb`.

/// Red, green, blue.
pub type Rgb = [u8; 3];

const COLOURS: [(&str, Rgb); 26] = [
    ("amber", [0xf2, 0xb6, 0x3c]),
    ("black", [0x2b, 0x2b, 0x2b]),
    ("blue", [0x3f, 0x74, 0xc9]),
    ("brown", [0x94, 0x62, 0x3b]),
    ("cream", [0xf6, 0xec, 0xcf]),
    ("cyan", [0x63, 0xc6, 0xcf]),
    ("gold", [0xf4, 0xcd, 0x3f]),
    ("green", [0x3f, 0x8f, 0x4a]),
    ("grey", [0xa3, 0xa8, 0xae]),
    ("lightblue", [0xa9, 0xd6, 0xef]),
    ("lightgreen", [0xa8, 0xd3, 0x6b]),
    ("lightgrey", [0xd4, 0xd7, 0xda]),
    ("lime", [0xc5, 0xdf, 0x4f]),
    ("navy", [0x2c, 0x45, 0x77]),
    ("orange", [0xee, 0x85, 0x28]),
    ("pink", [0xee, 0x9c, 0xb6]),
    ("purple", [0x8a, 0x55, 0xb0]),
    ("red", [0xd2, 0x3c, 0x36]),
    ("sand", [0xe6, 0xd3, 0x9b]),
    ("slate", [0x7b, 0x88, 0x96]),
    ("teal", [0x38, 0x96, 0x90]),
    ("terracotta", [0xcc, 0x7a, 0x50]),
    ("turquoise", [0x5c, 0xc2, 0xb4]),
    ("violet", [0x8f, 0x63, 0xc7]),
    ("white", [0xfa, 0xfa, 0xf7]),
    ("yellow", [0xf3, 0xd6, 0x4e]),
];

/// The shade for a word or for `#rrggbb`.
pub fn colour(word: &str) -> Option<Rgb> {
    if let Some(digits) = word.strip_prefix('#') {
        if digits.len() != 6 || !digits.bytes().all(|b| b.is_ascii_hexdigit()) {
            return None;
        }
        let [_, red, green, blue] = u32::from_str_radix(digits, 16).ok()?.to_be_bytes();
        return Some([red, green, blue]);
    }
    COLOURS.iter().find(|(name, _)| *name == word).map(|(_, rgb)| *rgb)
}

/// All words for colours, in order.
pub(super) fn words() -> impl Iterator<Item = &'static str> {
    COLOURS.iter().map(|(name, _)| *name)
}
