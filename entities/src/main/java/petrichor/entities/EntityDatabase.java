package petrichor.entities;

import petrichor.transactions.Database;

/** A database of entities: its rows and what is known about them. Safe for any thread. */
public record EntityDatabase(String project, String id, Database rows, IndexCatalog indexes) {}
