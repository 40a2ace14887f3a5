//! The embedded model weighs offered answers, really.

use taskgen::{
    data::Cause,
    llm::{ChatModel as _, Finish, Purse},
};

use crate::{
    planted::{pairs, weights},
    real_llm::local,
};

#[tokio::test]
async fn weights_are_log_probabilities_and_do_not_depend_on_what_was_asked_before() {
    let model = local();
    model.hello().await.unwrap();
    let questions: Vec<_> = pairs()
        .iter()
        .step_by(67)
        .flat_map(crate::planted::Pair::questions)
        .collect();
    let mut fresh = Vec::new();
    for question in &questions {
        let (reply, _) = model.ask(question, true).await.unwrap();
        assert_eq!(
            (reply.cached, reply.output, reply.text.as_str()),
            (0, 0, "")
        );
        let weights = reply.weights.expect("weights");
        let sum: f64 = weights.iter().map(|weight| weight.exp()).sum();
        assert!(
            weights.iter().all(|weight| *weight <= 0.0) && sum <= 1.0,
            "{weights:?}"
        );
        assert!(
            sum > 0.5,
            "the model answers with one of the two: {weights:?}"
        );
        fresh.push(weights);
    }
    assert!(fresh.iter().any(|weights| *weights != fresh[0]));
    for round in 0..2 {
        for (question, fresh) in questions.iter().zip(&fresh) {
            let (reply, _) = model.ask(question, false).await.unwrap();
            assert_eq!(
                reply.weights.as_ref(),
                Some(fresh),
                "to the last bit, round {round}"
            );
            assert!(reply.cached > 0 || round == 0, "the instructions are kept");
        }
    }
    // The same through the interface that all models have, and a reply afterwards is as before.
    assert_eq!(weights(&model, &questions[0]).await.to_vec(), fresh[0]);
}

#[tokio::test]
async fn an_answer_of_several_tokens_is_refused_by_name() {
    let model = local();
    let [mut question, _] = pairs()[0].questions();
    question.offered = vec!["1".into(), "the second of them".into()];
    let error = model.chat(&question, &Purse::default()).await.unwrap_err();
    assert_eq!(error.cause, Cause::Unweighed);
    assert!(error.message.contains("no single token"), "{error}");
    question.offered.truncate(1);
    let reply = model.chat(&question, &Purse::default()).await.unwrap();
    assert_eq!(reply.finish, Finish::Stop);
    let usage = reply.usage.expect("counted");
    assert!(usage.input > 100 && usage.output == 0, "{usage:?}");
}
