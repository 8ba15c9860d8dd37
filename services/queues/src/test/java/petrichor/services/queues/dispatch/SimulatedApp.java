package petrichor.services.queues.dispatch;

import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.random.RandomGenerator;
import petrichor.services.queues.SimulatedClock;

/** An app that answers after a random time, fails at random, and records what it received. */
final class SimulatedApp implements TaskDelivery {
    private static final int STATUS_OK = 200;
    private static final int STATUS_ERROR = 500;

    private final SimulatedClock clock;
    private final RandomGenerator chance;
    private final Duration latencyMax;

    /** In per cent of the deliveries. */
    int failures;

    /** Deliveries whose answer never arrives before the owner changes. */
    int lost;

    boolean ready = true;
    final Map<String, List<Arrival>> arrivals = new HashMap<>();

    /**
     * @param succeeded the app's answer
     */
    record Arrival(long micros, Delivery delivery, boolean succeeded) {}

    SimulatedApp(SimulatedClock clock, RandomGenerator chance, Duration latencyMax) {
        this.clock = clock;
        this.chance = chance;
        this.latencyMax = latencyMax;
    }

    @Override
    public boolean ready(String project) {
        return ready;
    }

    @Override
    public CompletableFuture<DeliveryResult> deliver(Delivery delivery) {
        boolean success = chance.nextInt(100) >= failures;
        arrivals.computeIfAbsent(delivery.task().name(), _ -> new ArrayList<>())
                .add(new Arrival(clock.epochMicros(), delivery, success));
        CompletableFuture<DeliveryResult> answer = new CompletableFuture<>();
        if (chance.nextInt(100) < lost) {
            return answer;
        }
        clock.runLater(
                () -> {
                    if (success || chance.nextBoolean()) {
                        answer.complete(
                                new DeliveryResult.Answered(success ? STATUS_OK : STATUS_ERROR));
                    } else {
                        answer.completeExceptionally(new IllegalStateException("broken"));
                    }
                },
                Duration.ofNanos(chance.nextLong(1, latencyMax.toNanos() + 1)));
        return answer;
    }

    List<Arrival> arrivals(String task) {
        return arrivals.getOrDefault(task, List.of());
    }

    boolean succeeded(String task) {
        return arrivals(task).stream().anyMatch(Arrival::succeeded);
    }
}
