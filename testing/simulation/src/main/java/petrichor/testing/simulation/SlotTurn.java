package petrichor.testing.simulation;

import petrichor.testing.simulation.LogState.Phase;

/** The possible steps of one process on the slots of a log, in one of its forms. */
sealed interface SlotTurn permits ConditionalTurn, PlainTurn {
    /** A step of a process that walks through the log. */
    void read();

    /** A step of a process that has found a free slot and wants to take over. */
    void seal();

    /** Starts an epoch that this process owns. */
    void begin(LogDraft draft);

    /** The first phase of an owner that has a record to write. */
    Phase firstPhaseOfCommit();

    /** A step of an owner that is writing a record. */
    void append();
}
