/**
 * What one subtask does. A {@linkplain petrichor.jobs.engine.operators.Subtask subtask} is a thread
 * that takes records from its inputs, does one operation on them and a chain of steps behind it.
 *
 * <p>A driver (one class per kind of operation, named {@code …Driver}; {@code Drivers} says which)
 * calls the user's code; what that emits goes through {@linkplain
 * petrichor.jobs.engine.operators.Stage stages}: steps ({@link
 * petrichor.jobs.engine.operators.Chain}), shippings ({@link
 * petrichor.jobs.engine.operators.ShipStage}), sinks. They call each other, a record at a time; a
 * record is a view until its bytes are copied into a block for a receiver.
 */
@NullMarked
package petrichor.jobs.engine.operators;

import org.jspecify.annotations.NullMarked;
