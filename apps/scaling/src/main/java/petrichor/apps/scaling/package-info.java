/**
 * Decides how many instances a version of an app needs. Nothing here has threads, clocks or
 * instances: an {@link petrichor.apps.scaling.Autoscaler} gets a {@link
 * petrichor.apps.scaling.LoadObservation} about every second and returns a {@link
 * petrichor.apps.scaling.Decision} with its reason, so that the same observations always lead to
 * the same decisions.
 *
 * <p>Automatic scaling is Knative's algorithm under App Engine's names. The load is the number of
 * requests that are in progress or wait. Its average over the <em>stable window</em> of 60 s,
 * divided by the target of an instance, is the number of instances. If the average over the
 * <em>panic window</em> of 6 s needs at least twice the instances that are ready, the autoscaler
 * panics: it follows the short window and does not stop instances until the surge has been over for
 * 60 s. Pending latency, the backlog of queues, idle instances and bounds then raise or lower the
 * number, in this order. {@link petrichor.apps.scaling.ScalingPolicy} has the numbers.
 *
 * <p>{@link petrichor.apps.scaling.ScalingSimulation} replays a {@link
 * petrichor.apps.scaling.LoadTrace} against a policy.
 */
@NullMarked
package petrichor.apps.scaling;

import org.jspecify.annotations.NullMarked;
