//! A trainer that is not there: verdicts from known culprits, to measure the search with.
