/**
 * Workflows on Datastore and Cloud Tasks: pipelines, MapReduce and state machines, like {@code
 * clients/python-workflows}.
 *
 * <p>All state is in entities of the kinds of the Python library. Each change of a step is one
 * transaction. Tasks cannot be added by a transaction of Cloud Datastore; instead, the tasks that
 * must follow are a function of the stored state ({@code Engine.followUp}), and have names. The handler of
 * a task adds them after the transaction and before it acknowledges the task. If the process ends
 * in between, the queue delivers the task again, the transaction finds that its change has been
 * made, and the tasks are added then. A name that is used already is no error, so a
 * workflow has each task once.
 */
package petrichor.workflows;
