package petrichor.server.apps;

import java.net.InetSocketAddress;
import java.net.URI;
import java.time.Duration;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import petrichor.frontends.appengine.CallingApp;
import petrichor.frontends.appengine.Tickets;
import petrichor.services.queues.dispatch.AppTargets;

/**
 * Where apps receive requests of the platform: at the URL of their target, or at an instance of a
 * deployed version. A ticket belongs to each request. Thread-safe; does not block.
 */
final class AppAddresses implements AppTargets {
    private final Map<String, URI> targets;
    private final Deployed deployed;
    private final Tickets tickets;

    /** Instances of deployed versions. Thread-safe; does not block. */
    interface Deployed {
        boolean has(String project);

        /** How long the app may work on a task that allows this time. */
        Duration longestTask(String project, Duration deadline);

        /**
         * Completes empty if no instance is ready in time.
         *
         * @param target a service, or version.service; empty for the default
         */
        CompletableFuture<Optional<Borrowed>> borrow(
                String project, String target, Duration within);
    }

    /**
     * An instance that serves one request, or the router that finds one.
     *
     * @param headers that the request must have
     * @param giveBack to be called once
     */
    record Borrowed(InetSocketAddress address, Map<String, String> headers, Runnable giveBack) {}

    /**
     * @param targets URLs by project; they precede deployed versions
     */
    AppAddresses(Map<String, URI> targets, Deployed deployed, Tickets tickets) {
        this.targets = targets;
        this.deployed = deployed;
        this.tickets = tickets;
    }

    @Override
    public boolean reaches(String project) {
        return targets.containsKey(project) || deployed.has(project);
    }

    @Override
    public CompletableFuture<Optional<Place>> acquire(
            String project, String target, Duration deadline) {
        URI url = targets.get(project);
        if (url != null) {
            return CompletableFuture.completedFuture(
                    Optional.of(place(project, url, deadline, Map.of(), () -> {})));
        }
        return deployed.borrow(project, target, deadline)
                .thenApply(
                        found ->
                                found.map(
                                        instance ->
                                                place(
                                                        project,
                                                        URI.create(
                                                                "http://"
                                                                        + instance.address()
                                                                                .getAddress()
                                                                                .getHostAddress()
                                                                        + ":"
                                                                        + instance.address()
                                                                                .getPort()),
                                                        deadline,
                                                        instance.headers(),
                                                        instance.giveBack())));
    }

    @Override
    public Duration longest(String project, Duration deadline) {
        return deployed.longestTask(project, deadline);
    }

    private Place place(
            String project,
            URI base,
            Duration deadline,
            Map<String, String> headers,
            Runnable giveBack) {
        String ticket = tickets.issue(CallingApp.of(project), deadline);
        return new Place() {
            @Override
            public URI base() {
                return base;
            }

            @Override
            public String ticket() {
                return ticket;
            }

            @Override
            public Map<String, String> headers() {
                return headers;
            }

            @Override
            public void close() {
                tickets.revoke(ticket);
                giveBack.run();
            }
        };
    }
}
