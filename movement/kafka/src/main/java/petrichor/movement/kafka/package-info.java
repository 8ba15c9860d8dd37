/** The change feed as records of a Kafka topic, exactly once. */
@NullMarked
package petrichor.movement.kafka;

import org.jspecify.annotations.NullMarked;
