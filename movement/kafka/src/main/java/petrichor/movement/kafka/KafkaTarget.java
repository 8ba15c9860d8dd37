package petrichor.movement.kafka;

import java.util.regex.Matcher;
import java.util.regex.Pattern;
import petrichor.base.PetrichorException;

/**
 * Where records go.
 *
 * @param brokers {@code HOST:PORT}, comma-separated
 * @param topic created with the broker's defaults if it does not exist
 */
public record KafkaTarget(String brokers, String topic) {
    private static final Pattern URL =
            Pattern.compile(
                    "kafka://([^/\\s]+:\\d{1,5}(?:,[^/\\s]+:\\d{1,5})*)/([\\w.\\-]{1,249})");

    /** Parses {@code kafka://HOST:PORT[,HOST:PORT…]/TOPIC}; INVALID_ARGUMENT otherwise. */
    public static KafkaTarget parse(String url) {
        Matcher matcher = URL.matcher(url);
        if (!matcher.matches()) {
            throw PetrichorException.invalid(
                    "\"{url}\" is not an address of a Kafka topic; write it like"
                            + " kafka://localhost:9092/changes",
                    "url",
                    url);
        }
        return new KafkaTarget(matcher.group(1), matcher.group(2));
    }
}
