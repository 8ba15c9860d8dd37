/**
 * Runs instances of apps. An instance is one process with its own port, user id, limits, temporary
 * folder and view of the machine; {@link petrichor.apps.instances.InstanceSpec} describes it,
 * {@link petrichor.apps.instances.InstanceHost} starts it and {@link
 * petrichor.apps.instances.Instance} follows its life:
 *
 * <pre>
 *              check passed            stop()
 *   STARTING ───────────────► READY ───────────► DRAINING ───► STOPPED
 *      │                        │
 *      └────────────────────────┴──────────────► FAILED
 *        exited, memory limit, does not listen
 * </pre>
 *
 * A process is started by a chain of short scripts, each of which runs the next one: {@code
 * enter.sh} joins the control groups, {@code view.sh} builds the file system of the instance in its
 * own namespaces, {@code init.sh} forwards signals, {@code app.sh} sets the environment and becomes
 * the app. {@link petrichor.apps.instances.Isolation} finds out which of these steps this machine
 * permits, and says what is missing without the others.
 *
 * <p>This package starts nothing by itself: how many instances run, when one is replaced ({@link
 * petrichor.apps.instances.RestartPolicy}) and which of them serves a request is decided above it.
 * The output of instances is kept by {@link petrichor.apps.instances.InstanceLog}.
 */
@NullMarked
package petrichor.apps.instances;

import org.jspecify.annotations.NullMarked;
