/**
 * RabbitMQ between the dispatchers and the apps, so that all servers of a cluster deliver the tasks
 * of every project.
 *
 * <p>The rows of the database remain the truth. The dispatcher on the owner of a project decides
 * when a task is due, within the rate and the concurrency of its queue; the {@link
 * petrichor.services.queues.rabbitmq.NoticeOutbox} then publishes a {@link
 * petrichor.services.queues.rabbitmq.TaskNotice}, with publisher confirms. The notice names a
 * delivery and does not contain the task. A {@link petrichor.services.queues.rabbitmq.Deliverer} on
 * each server consumes notices, claims the task from the owner, delivers it, reports the result to
 * the owner, and acknowledges the notice last.
 *
 * <p>No single message in RabbitMQ matters: the owner publishes another one when a notice is lost,
 * and refuses claims for notices that are out of date. A notice may be lost, duplicated or late.
 */
@NullMarked
package petrichor.services.queues.rabbitmq;

import org.jspecify.annotations.NullMarked;
