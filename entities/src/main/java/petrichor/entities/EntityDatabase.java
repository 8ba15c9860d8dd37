package petrichor.entities;

import petrichor.transactions.Database;

/** A database of entities: its rows and its index catalog. Thread-safe. */
public record EntityDatabase(String project, String id, Database rows, IndexCatalog indexes) {}
