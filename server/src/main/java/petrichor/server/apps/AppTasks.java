package petrichor.server.apps;

import io.prometheus.metrics.model.snapshots.Labels;
import io.prometheus.metrics.model.snapshots.MetricSnapshots;
import java.security.SecureRandom;
import java.util.List;
import java.util.OptionalLong;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import petrichor.apps.catalog.EffectiveQuotas;
import petrichor.apps.catalog.Quota;
import petrichor.base.MemoryBudget;
import petrichor.base.TimeSource;
import petrichor.rpc.Rpc;
import petrichor.server.config.AppSettings;
import petrichor.server.metrics.Readings;
import petrichor.services.fetch.UrlFetcher;
import petrichor.services.queues.QueueLimits;
import petrichor.services.queues.TaskQuotas;
import petrichor.services.queues.dispatch.AppTargets;
import petrichor.services.queues.dispatch.DeliveryCounts;
import petrichor.services.queues.dispatch.DispatchLimits;
import petrichor.services.queues.dispatch.Dispatchers;
import petrichor.services.queues.dispatch.HttpTaskDelivery;
import petrichor.services.queues.rabbitmq.RabbitMqCounts;
import petrichor.services.queues.rabbitmq.RabbitMqDelivery;
import petrichor.transactions.scheduling.SystemScheduler;

/**
 * The task queues of all apps, and the delivery of the tasks whose databases this server owns.
 * Until there are tasks, it has no thread but the one that looks for them. Thread-safe.
 */
final class AppTasks implements AutoCloseable {
    /** Share of the process's memory, for tasks that are being delivered and for responses. */
    private static final int MEMORY_PERCENT = 10;

    private final ExecutorService workers = Executors.newVirtualThreadPerTaskExecutor();
    private final SystemScheduler scheduler = new SystemScheduler();
    private final HttpTaskDelivery delivery;
    private final @Nullable RabbitMqDelivery rabbitMq;
    private final Dispatchers dispatchers;

    /**
     * @param quotas of projects
     * @param apps receive tasks
     * @param fetcher sends requests to other servers; created by the first one
     */
    AppTasks(
            AppSettings.TaskSettings settings,
            EffectiveQuotas quotas,
            AppTargets apps,
            AppEngine.CurrentData data,
            Supplier<UrlFetcher> fetcher,
            Rpc rpc,
            MemoryBudget memory) {
        MemoryBudget share = memory.sharePercent("app tasks", MEMORY_PERCENT);
        this.delivery = new HttpTaskDelivery(apps, new TaskFetches(fetcher, share, workers));
        SecureRandom random = new SecureRandom();
        this.rabbitMq =
                settings.rabbitMq()
                        .map(
                                broker ->
                                        new RabbitMqDelivery(
                                                broker,
                                                delivery,
                                                owner ->
                                                        new RoutedTaskOwners(
                                                                owner, data.databases(), rpc),
                                                settings.deliveriesMax(),
                                                share,
                                                TimeSource.SYSTEM,
                                                scheduler,
                                                random))
                        .orElse(null);
        this.dispatchers =
                new Dispatchers(
                        data.databases(),
                        data.ownedElsewhere(),
                        QueueLimits.DEFAULT.withQuotas(of(quotas)),
                        DispatchLimits.DEFAULT.withDeliveriesMax(settings.deliveriesMax()),
                        rabbitMq == null ? delivery : rabbitMq,
                        share,
                        TimeSource.SYSTEM,
                        scheduler,
                        random);
    }

    private static TaskQuotas of(EffectiveQuotas quotas) {
        return new TaskQuotas() {
            @Override
            public OptionalLong addedPerMinute(String project) {
                return quotas.limit(project, Quota.TASKS);
            }

            @Override
            public OptionalLong waiting(String project) {
                return quotas.limit(project, Quota.WAITING_TASKS);
            }
        };
    }

    Dispatchers dispatchers() {
        return dispatchers;
    }

    /** Begins to deliver tasks. */
    void start() {
        if (rabbitMq != null) {
            rabbitMq.start();
        }
        dispatchers.start();
    }

    MetricSnapshots metrics() {
        DeliveryCounts deliveries = dispatchers.deliveries();
        Dispatchers.Exhausted exhausted = dispatchers.exhausted();
        Readings readings =
                new Readings()
                        .gauge(
                                "petrichor_tasks_running",
                                "Tasks of apps that are being delivered.",
                                deliveries.running())
                        .counters(
                                "petrichor_task_deliveries_total",
                                "Deliveries of tasks that ended, by outcome.",
                                List.of(
                                        new Readings.Point(
                                                Labels.of("outcome", "success"),
                                                deliveries.succeeded()),
                                        new Readings.Point(
                                                Labels.of("outcome", "failure"),
                                                deliveries.failed())))
                        .counter(
                                "petrichor_tasks_dropped_total",
                                "Tasks that were dropped because their retries were exhausted.",
                                exhausted.dropped())
                        .counter(
                                "petrichor_tasks_dead_letters_total",
                                "Tasks that moved to a queue of dead letters because their retries"
                                        + " were exhausted.",
                                exhausted.deadLetters());
        return withRabbitMq(readings).snapshots();
    }

    private Readings withRabbitMq(Readings readings) {
        RabbitMqCounts rabbit = rabbitMq == null ? RabbitMqCounts.NONE : rabbitMq.counts();
        return readings.gauge(
                        "petrichor_tasks_rabbitmq_up",
                        "1 while RabbitMQ takes tasks; otherwise they stay in their queues.",
                        rabbit.accepting() ? 1 : 0)
                .gauge(
                        "petrichor_tasks_rabbitmq_waiting",
                        "Tasks in RabbitMQ whose delivery no server has started.",
                        rabbit.waiting())
                .counter(
                        "petrichor_tasks_rabbitmq_republished_total",
                        "Messages about tasks that were published again because RabbitMQ or a"
                                + " server lost them.",
                        rabbit.republished())
                .counter(
                        "petrichor_tasks_rabbitmq_delivered_total",
                        "Tasks that RabbitMQ gave to this server and that it has delivered.",
                        rabbit.delivered());
    }

    /** Tasks that are being delivered run again after a restart. */
    @Override
    public void close() {
        dispatchers.close();
        if (rabbitMq != null) {
            rabbitMq.close();
        }
        delivery.close();
        workers.shutdownNow();
        scheduler.close();
    }
}
