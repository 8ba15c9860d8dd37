/**
 * The work of one subtask. A {@linkplain petrichor.jobs.engine.operators.Subtask subtask} is a
 * thread that takes records from its inputs and runs one operation and a chain of steps on them.
 *
 * <p>A driver (one class per kind of operation, named {@code …Driver}, chosen by {@code Drivers})
 * calls the user's code; its output goes through {@linkplain
 * petrichor.jobs.engine.operators.ChainedOperator stages}: steps ({@link
 * petrichor.jobs.engine.operators.Chain}), outputs to other tasks ({@link
 * petrichor.jobs.engine.operators.ChainOutput}), sinks. They call each other, one record at a time;
 * a record is a view until its bytes are copied into a block for a receiver.
 */
@NullMarked
package petrichor.jobs.engine.operators;

import org.jspecify.annotations.NullMarked;
