package petrichor.testing.simulation;

import petrichor.testing.simulation.LogState.Phase;

/** What one process can do next with the slots of a log, in one of its forms. */
sealed interface SlotTurn permits ConditionalTurn, PlainTurn {
    /** Of who walks through the log. */
    void read();

    /** Of who has come to a free slot and wants what comes behind it. */
    void seal();

    /** The slots of this process's epoch are its own. */
    void begin(LogDraft draft);

    /** With what the owner begins when it has a record to write. */
    Phase firstPhaseOfCommit();

    /** Of an owner that is writing a record. */
    void append();
}
