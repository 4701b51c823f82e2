//! Ranking of a catalog for a query.
