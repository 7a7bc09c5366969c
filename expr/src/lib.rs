//! Hash-consed bit-vector terms, their simplifier and evaluator, and the solver behind them.
