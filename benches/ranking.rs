//! What the Bradley–Terry fit costs, and whether it says the same as its peers for Python, `choix`
//! and `evalica`: the same verdicts, in one run. Then what each makes of items that never won, and
//! one ranking of a made-up scenario by halving.
//!
//! The rounds alternate; medians and ratios are printed. Agreement and memory are asserted. `make
//! bench` runs it.
#![expect(clippy::print_stdout, reason = "the tables are what it is for")]

mod measure;

use std::{
    io::{Seek as _, Write as _},
    path::Path,
    process::Command,
    time::Instant,
};

use anyhow::{Context as _, Result, ensure};
use rand::{SeedableRng as _, rngs::ChaCha8Rng, seq::SliceRandom as _};
use serde::{Deserialize, Serialize};
use taskgen::{
    rank::{
        Method,
        simulate::{self, Scenario, SimulatedJudge, Trial},
    },
    stats::{
        correlation::spearman,
        pairwise::bradley_terry::{Game, Model, Preference, fit},
    },
};

use measure::{median, peak_memory};

/// Items of a large ranking.
const ITEMS: usize = 10_000;
/// Fits of a large ranking.
const FITS: usize = 5;
/// Fits beside the peers.
const ROUNDS: usize = 3;
/// Megabytes that the largest fit may take, its verdicts included.
const MOST_MEGABYTES: u64 = 150;
/// Largest difference of a strength, in logits, at which two fits are the same. The default
/// tolerance of `choix.opt_pairwise` takes up half of it.
const SAME: f64 = 1e-4;
/// Variance of the prior that stands for none: `ilsr_pairwise` and `evalica` know no ridge.
const FLAT: f64 = 1e6;
/// The ridge of `choix.opt_pairwise` for a variance s² of 1: its penalty is `alpha` Σ θ² without
/// the half of a normal density (whatever its documentation says), hence 1 / (2 s²).
const ALPHA: f64 = 0.5;
/// Of 500 items, three never win in 20 rounds; in 60 everybody wins and loses.
const SEED: u64 = 14;

/// A fit of others, and the variance of the strengths at which ours is to say the same.
struct Peer {
    method: &'static str,
    variance: f64,
}

const PEERS: [Peer; 3] = [
    Peer {
        method: "choix.opt_pairwise",
        variance: 1.0,
    },
    Peer {
        method: "choix.ilsr_pairwise",
        variance: FLAT,
    },
    Peer {
        method: "evalica.bradley_terry",
        variance: FLAT,
    },
];

/// What `ranking.py` is asked.
#[derive(Serialize)]
struct Request {
    methods: Vec<&'static str>,
    items: usize,
    /// Winner, loser.
    verdicts: Vec<(u32, u32)>,
    alpha: f64,
}

/// What it says.
#[derive(Deserialize)]
struct Reply {
    fits: Vec<TheirFit>,
    megabytes: u64,
}

#[derive(Deserialize)]
struct TheirFit {
    seconds: f64,
    strength: Vec<Option<f64>>,
    failure: Option<String>,
}

fn main() -> Result<()> {
    // First, because the most memory that this process ever had can only grow.
    fit_many(20)?;
    fit_many(200)?;
    println!(
        "\nitems   verdicts   peer                     theirs (s)  taskgen (s)  ratio  largest difference"
    );
    compare(500, 60, &PEERS)?;
    compare(2_000, 60, &PEERS)?;
    // Those of choix would take many minutes.
    compare(ITEMS, 200, &PEERS[2..])?;
    never_won()?;
    rank_by_halving();
    Ok(())
}

/// Fits a large ranking, with a preference for the first side, as the program does.
fn fit_many(rounds: usize) -> Result<()> {
    let answers = answers(&simulated_games(ITEMS, rounds).1);
    let mut times = Vec::new();
    for _ in 0..FITS {
        let (seconds, fit) = timed(|| fit(ITEMS, &answers, &Model::plain(1, 1.0), None));
        ensure!(
            fit.slope <= 1e-6,
            "not at the top: the slope is {}",
            fit.slope
        );
        times.push(seconds);
    }
    let (verdicts, seconds, megabytes) = (answers.len(), median(times), peak_memory()?);
    println!(
        "{ITEMS} items, {verdicts} verdicts: {seconds:.3} s (median of {FITS}), at most {megabytes} MB of memory"
    );
    ensure!(
        megabytes < MOST_MEGABYTES,
        "{megabytes} MB of memory, and not below {MOST_MEGABYTES}"
    );
    Ok(())
}

/// Fits the same verdicts as the peers do, in turns.
fn compare(items: usize, rounds: usize, peers: &[Peer]) -> Result<()> {
    let (_, games) = simulated_games(items, rounds);
    let answers = answers(&games);
    // Without a ridge, who never won or never lost has no strength.
    ensure!(
        wins_and_losses(items, &games)
            .iter()
            .all(|&(wins, losses)| wins > 0 && losses > 0),
        "a win is missing"
    );
    let mut rows: Vec<[Vec<f64>; 3]> = vec![Default::default(); peers.len()];
    let mut megabytes = 0;
    for _ in 0..ROUNDS {
        let reply = ask(items, &games, peers, ALPHA)?;
        for ((peer, their), [theirs, ours, apart]) in peers.iter().zip(&reply.fits).zip(&mut rows) {
            let (seconds, fit) = timed(|| fit(items, &answers, &model(peer.variance), None));
            let difference = difference(&fit.strength, &numbers(their));
            ensure!(
                difference < SAME,
                "{} differs by {difference}: {:?}",
                peer.method,
                their.failure
            );
            theirs.push(their.seconds);
            ours.push(seconds);
            apart.push(difference);
        }
        megabytes = reply.megabytes;
    }
    let verdicts = games.len();
    for (peer, [theirs, ours, apart]) in peers.iter().zip(rows) {
        let (method, theirs, ours, apart) =
            (peer.method, median(theirs), median(ours), median(apart));
        let ratio = theirs / ours;
        println!(
            "{items:<7} {verdicts:<10} {method:<24} {theirs:<11.3} {ours:<12.4} {ratio:<6.0} {apart:.0e}"
        );
    }
    println!("{items:<7} {verdicts:<10} the peers' process took at most {megabytes} MB of memory");
    Ok(())
}

/// Fits verdicts in which some items never won: ours have a prior, the peers are left without a
/// ridge.
fn never_won() -> Result<()> {
    let items = 500;
    let (quality, games) = simulated_games(items, 20);
    let record = wins_and_losses(items, &games);
    let winless = record.iter().filter(|(wins, _)| *wins == 0).count();
    let unbeaten = record.iter().filter(|(_, losses)| *losses == 0).count();
    ensure!(winless >= 3, "{winless} never won");
    println!(
        "\n{items} items, {} verdicts, {winless} never won, {unbeaten} never lost",
        games.len()
    );
    println!("fit                      finite  lowest   highest  Spearman's rho with the truth");
    let ours = fit(items, &answers(&games), &model(1.0), None).strength;
    ensure!(
        ours.iter().all(|x| x.is_finite()),
        "a strength is not finite"
    );
    show("taskgen", &ours, &quality, None);
    let reply = ask(items, &games, &PEERS, 0.0)?;
    for (peer, their) in PEERS.iter().zip(&reply.fits) {
        show(
            peer.method,
            &numbers(their),
            &quality,
            their.failure.as_deref(),
        );
    }
    Ok(())
}

fn show(method: &str, strength: &[f64], quality: &[f64], failure: Option<&str>) {
    if let Some(failure) = failure {
        println!("{method:<24} {failure}");
        return;
    }
    let finite: Vec<f64> = strength.iter().copied().filter(|x| x.is_finite()).collect();
    let (low, high) = (
        finite.iter().copied().fold(f64::NAN, f64::min),
        finite.iter().copied().fold(f64::NAN, f64::max),
    );
    let rho =
        spearman(strength, quality).map_or("none".to_owned(), |rho| format!("{:.3}", rho.value));
    println!(
        "{method:<24} {:<7} {low:<8.2} {high:<8.2} {rho}",
        finite.len()
    );
}

fn rank_by_halving() {
    let (items, top, calls) = (ITEMS, 100, 20_000);
    let trial = Trial {
        scenario: Scenario::Bt1,
        method: Method::Halving,
        items,
        top,
        calls,
        target_recall: None,
        list_size: 8,
        seed: SEED,
    };
    let (seconds, score) = timed(|| simulate::run(&trial));
    let expected = score.expected_recall.unwrap_or(f64::NAN);
    println!(
        "\nhalving in the scenario bt1, the best {top} of {items} with {} judgements: {seconds:.1} s with judge and score, \
         recall {:.2}, {expected:.2} expected by itself",
        score.calls, score.recall
    );
}

/// True qualities, and verdicts: in each round every item meets a random other one, on random
/// sides.
fn simulated_games(items: usize, rounds: usize) -> (Vec<f64>, Vec<Game>) {
    let judge = SimulatedJudge::new(Scenario::Bt1, items, SEED);
    let mut rng = ChaCha8Rng::seed_from_u64(SEED);
    let mut order: Vec<u32> = (0..items as u32).collect();
    let mut games = Vec::with_capacity(items / 2 * rounds);
    for _ in 0..rounds {
        order.shuffle(&mut rng);
        games.extend(order.chunks_exact(2).map(|two| {
            let (first, second) = (two[0], two[1]);
            Game {
                first,
                second,
                judge: 0,
                score: judge.verdict(first, second),
            }
        }));
    }
    (judge.quality, games)
}

fn answers(games: &[Game]) -> Vec<Preference> {
    games.iter().copied().map(Preference::Pair).collect()
}

/// The peers know nothing of sides.
fn model(variance: f64) -> Model {
    Model {
        intercepts: false,
        ..Model::plain(1, variance)
    }
}

fn wins_and_losses(items: usize, games: &[Game]) -> Vec<(u32, u32)> {
    let mut record = vec![(0, 0); items];
    for (winner, loser) in games.iter().map(winner_and_loser) {
        record[winner as usize].0 += 1;
        record[loser as usize].1 += 1;
    }
    record
}

fn winner_and_loser(game: &Game) -> (u32, u32) {
    if game.score > 0.5 {
        (game.first, game.second)
    } else {
        (game.second, game.first)
    }
}

/// Lets the peers fit these verdicts, once each, in one process of Python.
fn ask(items: usize, games: &[Game], peers: &[Peer], alpha: f64) -> Result<Reply> {
    let request = Request {
        methods: peers.iter().map(|peer| peer.method).collect(),
        items,
        verdicts: games.iter().map(winner_and_loser).collect(),
        alpha,
    };
    let mut file = tempfile::tempfile()?;
    file.write_all(&serde_json::to_vec(&request)?)?;
    file.rewind()?;
    let script = Path::new(env!("CARGO_MANIFEST_DIR")).join("benches/ranking.py");
    let output = Command::new("python3")
        .arg(script)
        .stdin(file)
        .output()
        .context("cannot run python3")?;
    ensure!(
        output.status.success(),
        "the peers failed: {}",
        String::from_utf8_lossy(&output.stderr)
    );
    let reply: Reply = serde_json::from_slice(&output.stdout)?;
    ensure!(
        reply.fits.len() == peers.len(),
        "{} fits of {}",
        reply.fits.len(),
        peers.len()
    );
    Ok(reply)
}

fn numbers(fit: &TheirFit) -> Vec<f64> {
    fit.strength.iter().map(|x| x.unwrap_or(f64::NAN)).collect()
}

/// The largest, with both means at 0; infinite where there is nothing to compare.
fn difference(ours: &[f64], theirs: &[f64]) -> f64 {
    let mean = |of: &[f64]| of.iter().sum::<f64>() / of.len() as f64;
    let shift = mean(ours) - mean(theirs);
    if ours.len() != theirs.len() || !shift.is_finite() {
        return f64::INFINITY;
    }
    ours.iter()
        .zip(theirs)
        .map(|(a, b)| (a - b - shift).abs())
        .fold(0.0, f64::max)
}

fn timed<T>(work: impl FnOnce() -> T) -> (f64, T) {
    let began = Instant::now();
    let done = work();
    (began.elapsed().as_secs_f64(), done)
}
