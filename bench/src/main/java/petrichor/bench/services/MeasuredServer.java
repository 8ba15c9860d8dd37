package petrichor.bench.services;

import java.time.Duration;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import petrichor.bench.Contender;

/**
 * A server under measurement, through the client that calls it.
 *
 * @param name in tables
 * @param cpu processor time that the server has used; null if unknown
 */
record MeasuredServer(String name, SdkClient client, @Nullable Supplier<Duration> cpu) {
    /** Repeats an operation with a number of clients. */
    Contender repeating(String operation, int clients) {
        return new Contender(name, length -> client.repeat(operation, clients, length), cpu);
    }

    /** Runs an operation of this size once in each round. */
    Contender once(String operation, int size) {
        return new Contender(name, _ -> client.once(operation, size));
    }
}
