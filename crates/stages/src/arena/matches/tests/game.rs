//! A match that tests play: the web is made up, the verdicts are given.

use crate::{
    arena::{
        matches::{
            state::MatchState,
            transition::{Input, VERSION, advance},
        },
        trees::{
            Overlay,
            made::{full_page, link},
        },
    },
    data::{
        Cause, MatchId, NodeId, ReportId, Side, Unscored,
        arena::{
            AnswerFacts, DuelLabel, DuelVerdict, Expansion, Failure, FailureTag, InfoTree,
            MatchEvent, MatchRules, Node, Question, RoundOutcome, Stop, TieQuality, Wanted,
        },
    },
};

/// A match in progress, with the events so far.
pub struct Game<'t> {
    pub id: MatchId,
    pub state: MatchState,
    pub view: Overlay<'t>,
    pub wanted: Wanted,
    pub events: Vec<MatchEvent>,
    /// Links of each page that nobody looked at before.
    pub web: usize,
}

pub fn open_ended() -> MatchRules {
    MatchRules {
        // No lead is as large.
        stop: Stop::Margin(u32::MAX),
        ..MatchRules::default()
    }
}

/// Rules of a match that has the tree alone.
pub fn closed() -> MatchRules {
    MatchRules {
        most_expansions: 0,
        ..open_ended()
    }
}

pub fn verdict(label: DuelLabel, tie: Option<TieQuality>, tag: FailureTag) -> RoundOutcome {
    RoundOutcome::Judged(DuelVerdict {
        items: Vec::new(),
        verdict: label,
        tie_quality: tie,
        failure: tag,
        reason: String::new(),
    })
}

pub fn won(label: DuelLabel, tag: FailureTag) -> RoundOutcome {
    verdict(label, None, tag)
}

pub fn poor_tie() -> RoundOutcome {
    verdict(DuelLabel::Tie, Some(TieQuality::Low), FailureTag::Both)
}

pub fn why() -> Unscored {
    Unscored {
        cause: Cause::Timeout,
        reason: "too slow".to_owned(),
    }
}

impl<'t> Game<'t> {
    pub fn new(name: &str, tree: &'t InfoTree, rules: MatchRules) -> Self {
        Self::on(name, tree, rules, 0)
    }

    /// … with `web` links behind each page that nobody looked at.
    pub fn on(name: &str, tree: &'t InfoTree, rules: MatchRules, web: usize) -> Self {
        let id = MatchId::from_parts(&[name]);
        let view = Overlay::new(tree);
        let (state, wanted) =
            advance(&id, MatchState::new(rules), Input::Begin, &view).expect("a beginning");
        let started = MatchEvent::Started {
            match_id: id.clone(),
            tree: tree.id().clone(),
            agents: ["one".to_owned(), "two".to_owned()],
            by: [String::new(), String::new()],
            rules,
            version: VERSION,
        };
        let mut game = Self {
            id,
            state,
            view,
            events: vec![started, MatchEvent::Wanted(wanted.clone())],
            wanted,
            web,
        };
        game.expand();
        game
    }

    fn step(&mut self, input: Input<'_>) {
        let (state, wanted) =
            advance(&self.id, self.state.clone(), input, &self.view).expect("it waits for this");
        self.state = state;
        self.wanted = wanted;
        self.events.push(MatchEvent::Wanted(self.wanted.clone()));
    }

    /// Expands the tree as long as the match wants it.
    pub fn expand(&mut self) {
        while let Wanted::Expansion {
            node,
            purpose,
            pages,
        } = self.wanted.clone()
        {
            let url = self.view.node(&node).expect("a page").page.url.clone();
            let learnt = self.view.links(&node).is_none().then(|| {
                let links = (0..self.web).map(|at| link(&format!("{url}w{at}/")));
                links.collect::<Vec<_>>()
            });
            if let Some(links) = &learnt {
                self.view.learn_links(&node, links.clone());
            }
            let links = self.view.unused_links(&node, pages as usize);
            let added: Vec<Node> = links
                .into_iter()
                .map(|link| Node::child(&node, Some(link.into()), full_page(&link.url)))
                .collect();
            for node in &added {
                self.view.add(node.clone()).expect("a new page");
            }
            let expansion = Expansion {
                node,
                purpose,
                links: learnt,
                added,
            };
            self.events.push(MatchEvent::Expanded(expansion.clone()));
            self.step(Input::Expanded(&expansion));
        }
    }

    /// Plays a round with this outcome.
    pub fn round(&mut self, outcome: &RoundOutcome) {
        let Wanted::Question {
            chain,
            targets,
            length,
            ..
        } = self.wanted.clone()
        else {
            panic!("no question is wanted: {:?}", self.wanted);
        };
        let text = format!("Question {}?", self.events.len());
        let question = Question::new(&text, chain, targets, length, Vec::new());
        self.events.push(MatchEvent::Asked(question));
        for side in [Side::A, Side::B] {
            let report = ReportId::from_parts(&[side.word(), &text]);
            let answer = AnswerFacts {
                report,
                words: 200,
                references: 2,
            };
            self.events.push(MatchEvent::Answered { side, answer });
        }
        self.events.push(MatchEvent::Judged(outcome.clone()));
        self.step(Input::Judged(outcome));
        self.expand();
    }

    pub fn fail(&mut self, failure: &Failure) {
        self.events.push(MatchEvent::Failed(failure.clone()));
        self.step(Input::Failed(failure));
        self.expand();
    }

    /// The level and the width.
    pub fn place(&self) -> (i64, i64) {
        (i64::from(self.state.level()), i64::from(self.state.width))
    }

    pub fn targets(&self) -> &[NodeId] {
        match &self.wanted {
            Wanted::Question { targets, .. } => targets,
            other => panic!("no question is wanted: {other:?}"),
        }
    }
}
