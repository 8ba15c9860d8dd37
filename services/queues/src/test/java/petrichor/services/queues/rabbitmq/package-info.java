/** Tests of deliveries through a real RabbitMQ: several servers, outages, lost messages. */
@NullMarked
package petrichor.services.queues.rabbitmq;

import org.jspecify.annotations.NullMarked;
