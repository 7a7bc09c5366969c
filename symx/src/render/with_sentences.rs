//! Explanations for scripts: the data, and beside it the sentences that the terminal and the page
//! have made of it.

use super::sentences;
use serde::Serialize;
use symx_trace::Explanation;
use symx_trace::explanation::Lane;

/// An explanation with the sentences printed of it; a reader of an [`Explanation`] leaves the sentences out.
#[derive(Serialize)]
pub struct ExplanationWithSentences<'a> {
    #[serde(flatten)]
    explanation: &'a Explanation,
    sentences: Sentences,
}

#[derive(Serialize)]
struct Sentences {
    /// The names of the threads of the failing execution for people, in its order.
    threads: Vec<String>,
    /// The failure, and where.
    failure: String,
    /// The cause: a sentence, then an order each.
    cause: Vec<String>,
    /// The values that differ in the passing execution.
    flows: Vec<String>,
    /// The fixes, and the results of trying them; advice where none of them is known to help.
    remedies: Vec<String>,
}

impl<'a> ExplanationWithSentences<'a> {
    /// Puts it into words.
    pub fn new(explanation: &'a Explanation) -> Self {
        let failure =
            explanation.failing.failure.as_ref().map(|it| sentences::failure(&explanation.failing, it));
        let cause = std::iter::once(sentences::cause(explanation)).chain(sentences::orders(explanation));
        let cause = cause.chain(sentences::checked(&explanation.cause));
        let sentences = Sentences {
            threads: explanation.failing.threads.iter().map(Lane::title).collect(),
            failure: failure.unwrap_or_default(),
            cause: cause.collect(),
            flows: sentences::flows(explanation),
            remedies: sentences::remedies(explanation),
        };
        Self { explanation, sentences }
    }

    /// As JSON.
    pub fn to_json(&self) -> String {
        serde_json::to_string(self).expect("plain data encodes into memory")
    }
}

#[cfg(test)]
mod tests {
    use super::super::example::lost_update;
    use super::*;

    #[test]
    fn sentences_stand_beside_the_data() {
        let explanation = lost_update();
        let text = ExplanationWithSentences::new(&explanation).to_json();
        assert_eq!(Explanation::from_json(&text).unwrap(), explanation);
        let json: serde_json::Value = serde_json::from_str(&text).unwrap();
        let sentences = &json["sentences"];
        assert_eq!(sentences["threads"], serde_json::json!(["T0 main", "T1 add", "T2 add"]));
        assert_eq!(sentences["remedies"].as_array().map(Vec::len), Some(explanation.remedies.len()));
        assert_eq!(sentences["cause"].as_array().map(Vec::len), Some(2 + explanation.cause.orders.len()));
        assert!(
            sentences["failure"].as_str().is_some_and(|text| text.contains("assertion failed: count == 2"))
        );
    }
}
