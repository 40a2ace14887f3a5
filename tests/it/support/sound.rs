//! Sound for tests: files of samples, and parts of the sample seminars.

use std::path::Path;

use taskgen::transcribe::Decoder;

/// A WAV file at 16 kHz.
pub fn wav(channels: u16, samples: &[i16]) -> Vec<u8> {
    let data: Vec<u8> = samples.iter().flat_map(|s| s.to_le_bytes()).collect();
    let mut file = b"RIFF".to_vec();
    file.extend((36 + data.len() as u32).to_le_bytes());
    file.extend(b"WAVEfmt \x10\0\0\0\x01\0");
    file.extend(channels.to_le_bytes());
    file.extend(16_000u32.to_le_bytes());
    file.extend((32_000 * u32::from(channels)).to_le_bytes());
    file.extend((2 * channels).to_le_bytes());
    file.extend(b"\x10\0data");
    file.extend((data.len() as u32).to_le_bytes());
    file.extend(data);
    file
}

/// A sample seminar as 16-bit samples.
pub fn sample(name: &str) -> Vec<i16> {
    let path = Path::new(env!("CARGO_MANIFEST_DIR"))
        .join("seminars")
        .join(name);
    let program = env!("CARGO_BIN_EXE_taskgen").into();
    let sound = Decoder { program }.decode(&path, None).expect("a sample");
    let samples = sound.read(&(0..sound.length())).expect("samples");
    samples.iter().map(|s| (s * 32_767.0) as i16).collect()
}
