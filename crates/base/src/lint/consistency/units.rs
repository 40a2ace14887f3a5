//! Units of measurement with their dimensions, currencies, and the words that multiply. Hides the
//! many spellings, in English and Chinese.

use std::{collections::HashMap, sync::LazyLock};

use crate::text::words::is_han;

/// What is measured in a unit.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(in crate::lint) enum Dimension {
    Count,
    Percent,
    Money,
    Mass,
    Length,
    Area,
    Volume,
    Temperature,
    Energy,
    Power,
    Time,
    Data,
    Speed,
    Pressure,
    Frequency,
    Sound,
}

/// One unit: `kilogram` has the factor 1,000 to the gram.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(in crate::lint) struct Unit {
    pub dimension: Dimension,
    pub name: &'static str,
    factor: f64,
}

pub(in crate::lint) const NONE: Unit = Unit {
    dimension: Dimension::Count,
    name: "",
    factor: 1.0,
};
const FAHRENHEIT: &str = "°F";
const KELVIN: &str = "K";

impl Unit {
    /// A figure in the first unit of its dimension.
    pub(super) fn base(&self, figure: f64) -> f64 {
        match self.name {
            FAHRENHEIT => (figure - 32.0) / 1.8,
            KELVIN => figure - 273.15,
            _ => figure * self.factor,
        }
    }

    /// The size of one unit in the first unit of its dimension.
    pub(super) fn size(&self) -> f64 {
        match self.name {
            FAHRENHEIT => 1.0 / 1.8,
            _ => self.factor,
        }
    }
}

type Row = (
    Dimension,
    &'static str,
    f64,
    &'static [&'static str],
    &'static [&'static str],
);

/// Dimension, name, factor, spellings whose case counts, and others in lower case.
#[rustfmt::skip]
const UNITS: &[Row] = &[
    (Dimension::Percent, "%", 1.0, &["%"], &["percent"]),
    (Dimension::Percent, "points", 1.0, &["pp"], &[]),
    (Dimension::Mass, "µg", 1e-6, &["µg", "μg", "mcg"], &["microgram", "微克"]),
    (Dimension::Mass, "mg", 1e-3, &["mg"], &["milligram", "毫克"]),
    (Dimension::Mass, "g", 1.0, &["g"], &["gram", "克"]),
    (Dimension::Mass, "kg", 1e3, &["kg"], &["kilogram", "公斤", "千克"]),
    (Dimension::Mass, "t", 1e6, &["t"], &["tonne", "ton", "吨"]),
    (Dimension::Mass, "kt", 1e9, &["kt"], &["kilotonne"]),
    (Dimension::Mass, "Mt", 1e12, &["Mt", "MMT"], &["megatonne"]),
    (Dimension::Mass, "Gt", 1e15, &["Gt"], &["gigatonne"]),
    (Dimension::Mass, "lb", 453.592_37, &["lb", "lbs"], &["pound"]),
    (Dimension::Length, "nm", 1e-9, &["nm"], &["纳米"]),
    (Dimension::Length, "µm", 1e-6, &["µm", "μm"], &["微米"]),
    (Dimension::Length, "mm", 1e-3, &["mm"], &["millimetre", "millimeter", "毫米"]),
    (Dimension::Length, "cm", 1e-2, &["cm"], &["centimetre", "centimeter", "厘米"]),
    (Dimension::Length, "m", 1.0, &["m"], &["metre", "meter", "米"]),
    (Dimension::Length, "km", 1e3, &["km"], &["kilometre", "kilometer", "公里", "千米"]),
    (Dimension::Length, "miles", 1_609.344, &["mi"], &["mile", "英里"]),
    (Dimension::Length, "ft", 0.304_8, &["ft"], &["foot", "feet", "英尺"]),
    (Dimension::Area, "m²", 1.0, &["m²"], &["平方米"]),
    (Dimension::Area, "ha", 1e4, &["ha"], &["hectare", "公顷"]),
    (Dimension::Area, "km²", 1e6, &["km²"], &["平方公里"]),
    (Dimension::Area, "acres", 4_046.86, &[], &["acre"]),
    (Dimension::Volume, "ml", 1e-3, &["ml", "mL"], &["millilitre", "milliliter", "毫升"]),
    (Dimension::Volume, "l", 1.0, &["l", "L"], &["litre", "liter", "升"]),
    (Dimension::Volume, "m³", 1e3, &["m³"], &["立方米"]),
    (Dimension::Temperature, "°C", 1.0, &["°C", "℃"], &["摄氏度"]),
    (Dimension::Temperature, FAHRENHEIT, 1.0, &["°F", "℉"], &["华氏度"]),
    (Dimension::Temperature, KELVIN, 1.0, &["K"], &["kelvin"]),
    (Dimension::Energy, "Wh", 1.0, &["Wh"], &[]),
    (Dimension::Energy, "kWh", 1e3, &["kWh"], &["千瓦时"]),
    (Dimension::Energy, "MWh", 1e6, &["MWh"], &["兆瓦时"]),
    (Dimension::Energy, "GWh", 1e9, &["GWh"], &[]),
    (Dimension::Energy, "TWh", 1e12, &["TWh"], &[]),
    (Dimension::Power, "W", 1.0, &["W"], &["watt", "瓦"]),
    (Dimension::Power, "kW", 1e3, &["kW"], &["kilowatt", "千瓦"]),
    (Dimension::Power, "MW", 1e6, &["MW"], &["megawatt", "兆瓦"]),
    (Dimension::Power, "GW", 1e9, &["GW"], &["gigawatt"]),
    (Dimension::Power, "TW", 1e12, &["TW"], &["terawatt"]),
    (Dimension::Time, "ms", 1e-3, &["ms"], &["millisecond", "毫秒"]),
    (Dimension::Time, "s", 1.0, &["s"], &["sec", "second", "秒"]),
    (Dimension::Time, "min", 60.0, &["min", "mins"], &["minute", "分钟"]),
    (Dimension::Time, "h", 3_600.0, &["h", "hr", "hrs"], &["hour", "小时"]),
    (Dimension::Time, "days", 86_400.0, &[], &["day", "天"]),
    (Dimension::Time, "weeks", 604_800.0, &[], &["week", "周"]),
    (Dimension::Time, "months", 2_629_800.0, &[], &["month", "个月"]),
    (Dimension::Time, "years", 31_557_600.0, &[], &["year", "年"]),
    (Dimension::Data, "KB", 1e3, &["KB", "kB"], &["kilobyte"]),
    (Dimension::Data, "MB", 1e6, &["MB"], &["megabyte"]),
    (Dimension::Data, "GB", 1e9, &["GB"], &["gigabyte"]),
    (Dimension::Data, "TB", 1e12, &["TB"], &["terabyte"]),
    (Dimension::Speed, "km/h", 1.0, &["km/h", "kph"], &[]),
    (Dimension::Speed, "mph", 1.609_344, &["mph"], &[]),
    (Dimension::Pressure, "bar", 1.0, &["bar"], &[]),
    (Dimension::Frequency, "Hz", 1.0, &["Hz"], &["hertz"]),
    (Dimension::Frequency, "kHz", 1e3, &["kHz"], &[]),
    (Dimension::Frequency, "MHz", 1e6, &["MHz"], &[]),
    (Dimension::Frequency, "GHz", 1e9, &["GHz"], &[]),
    (Dimension::Sound, "dB", 1.0, &["dB"], &["decibel"]),
    (Dimension::Money, "$", 1.0, &["$", "USD", "US$"], &["dollar", "美元"]),
    (Dimension::Money, "€", 1.0, &["€", "EUR"], &["euro", "欧元"]),
    (Dimension::Money, "£", 1.0, &["£", "GBP"], &["英镑"]),
    (Dimension::Money, "¥", 1.0, &["¥", "￥", "CNY", "RMB"], &["yuan", "元人民币", "元"]),
    (Dimension::Money, "JPY", 1.0, &["JPY"], &["yen", "日元"]),
    (Dimension::Money, "₹", 1.0, &["₹", "INR"], &["rupee"]),
    (Dimension::Money, "CHF", 1.0, &["CHF"], &["franc"]),
    (Dimension::Money, "crowns", 1.0, &["SEK", "NOK"], &["krona", "kronor", "kroner", "crown"]),
    (Dimension::Money, "A$", 1.0, &["A$", "AUD"], &[]),
    (Dimension::Money, "C$", 1.0, &["C$", "CAD"], &[]),
    (Dimension::Money, "HK$", 1.0, &["HK$", "HKD"], &["港元"]),
    (Dimension::Money, "S$", 1.0, &["S$", "SGD"], &[]),
    (Dimension::Money, "₩", 1.0, &["₩", "KRW"], &["won", "韩元"]),
];

/// Multiplying words, the longer before their beginnings.
const HAN_SCALES: &[(&str, f64)] = &[
    ("万亿", 1e12),
    ("千万", 1e7),
    ("百万", 1e6),
    ("十亿", 1e9),
    ("百亿", 1e10),
    ("千亿", 1e11),
    ("亿", 1e8),
    ("万", 1e4),
];

static EXACT: LazyLock<HashMap<&'static str, Unit>> = LazyLock::new(|| spellings(|row| row.3));
static FOLDED: LazyLock<HashMap<&'static str, Unit>> = LazyLock::new(|| spellings(|row| row.4));

fn spellings(of: fn(&Row) -> &'static [&'static str]) -> HashMap<&'static str, Unit> {
    let unit = |row: &Row| Unit {
        dimension: row.0,
        name: row.1,
        factor: row.2,
    };
    UNITS
        .iter()
        .flat_map(|row| of(row).iter().map(move |text| (*text, unit(row))))
        .collect()
}

/// The unit that a word is, in any number.
pub(super) fn unit(word: &str) -> Option<Unit> {
    let lower = || word.to_lowercase();
    let singular = |word: &str| FOLDED.get(word.strip_suffix('s').unwrap_or(word)).copied();
    EXACT
        .get(word)
        .copied()
        .or_else(|| FOLDED.get(lower().as_str()).copied())
        .or_else(|| singular(&lower()))
}

/// The unit of percentage points.
pub(super) fn points() -> Unit {
    EXACT["pp"]
}

/// The Chinese unit that a text begins with, and how many characters it has.
pub(super) fn han_unit(text: &[char]) -> Option<(Unit, usize)> {
    if text.starts_with(&['个', '百', '分', '点']) {
        return Some((points(), 4));
    }
    // English spellings are in the same table, and they need their whole word.
    let han = text.iter().take(5).take_while(|c| is_han(**c)).count();
    (1..=han).rev().find_map(|length| {
        let word: String = text[..length].iter().collect();
        Some((*FOLDED.get(word.as_str())?, length))
    })
}

/// The multiplying Chinese word that a text begins with, and how many characters it has.
pub(super) fn han_scale(text: &[char]) -> Option<(f64, usize)> {
    HAN_SCALES.iter().find_map(|(word, factor)| {
        let length = word.chars().count();
        let begins = text.len() >= length && word.chars().eq(text[..length].iter().copied());
        begins.then_some((*factor, length))
    })
}

/// What a word multiplies by. `touching` is a word that follows its number without a space.
pub(super) fn scale(word: &str, touching: bool, money: bool) -> Option<f64> {
    match word {
        "bn" | "B" => return Some(1e9),
        "mn" | "mln" => return Some(1e6),
        "m" | "M" if money => return Some(1e6),
        "b" if money => return Some(1e9),
        "k" | "K" if touching => return Some(1e3),
        "M" if touching => return Some(1e6),
        "T" if touching => return Some(1e12),
        "tn" => return Some(1e12),
        _ => {}
    }
    match word.to_lowercase().as_str() {
        "thousand" => Some(1e3),
        "million" => Some(1e6),
        "billion" => Some(1e9),
        "trillion" => Some(1e12),
        _ => None,
    }
}

/// The currency of a symbol before a number.
pub(super) fn symbol(c: char) -> Option<Unit> {
    "$€£¥￥₹₩"
        .contains(c)
        .then(|| EXACT.get(c.to_string().as_str()).copied())
        .flatten()
}

/// The currency of a code before a number: `USD`, `HK$`.
pub(super) fn currency(code: &str) -> Option<Unit> {
    EXACT
        .get(code)
        .copied()
        .filter(|unit| unit.dimension == Dimension::Money)
}
