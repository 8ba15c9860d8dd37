package petrichor.bench.stores;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import petrichor.base.PetrichorException;

/**
 * The parameters of a comparison.
 *
 * @param workloads in order of measurement
 * @param clients numbers of concurrent clients, each a point of its own
 * @param entities to load before, parents and children together
 * @param length of one point
 * @param longest limit of the whole run, including loading
 */
record Plan(
        List<Workload> workloads,
        List<Integer> clients,
        int entities,
        Duration length,
        Duration longest) {
    static final int CLIENTS_MAX = 10_000;
    static final int ENTITIES_MAX = 100_000_000;

    private static final int WARM_UP_CLIENTS = 8;

    private static final boolean[] BOTH = {true, false};
    private static final boolean[] NOTRANS = {false};

    /** One measurement on one store. */
    record Task(Workload workload, boolean transaction, int clients) {
        String title() {
            return workload.title() + mode();
        }

        Task with(int otherClients) {
            return new Task(workload, transaction, otherClients);
        }

        private String mode() {
            if (!workload.transactional()) {
                return "";
            }
            return transaction ? ", transaction" : ", notrans";
        }
    }

    Plan {
        workloads = List.copyOf(workloads);
        clients = List.copyOf(clients);
        if (clients.isEmpty() || workloads.isEmpty()) {
            throw PetrichorException.invalid("--clients and --ops must name at least one");
        }
        for (int number : clients) {
            if (number < 1 || number > CLIENTS_MAX) {
                throw PetrichorException.invalid(
                        "--clients takes numbers from 1 to " + CLIENTS_MAX + ", not " + number);
            }
        }
        if (entities < 1 || entities > ENTITIES_MAX) {
            throw PetrichorException.invalid(
                    "--entities takes 1 to " + ENTITIES_MAX + ", not " + entities);
        }
        if (!length.isPositive() || !longest.isPositive()) {
            throw PetrichorException.invalid("--seconds and --max-minutes must be above zero");
        }
    }

    /** With transactions, and without. */
    static boolean[] modes(Workload workload) {
        return workload.transactional() ? BOTH.clone() : NOTRANS.clone();
    }

    /** In order of measurement: all numbers of clients of an operation, then the next operation. */
    List<Task> tasks() {
        List<Task> tasks = new ArrayList<>();
        for (Workload workload : workloads) {
            for (boolean transaction : modes(workload)) {
                for (int number : clients) {
                    tasks.add(new Task(workload, transaction, number));
                }
            }
        }
        return tasks;
    }

    /** Each operation once, so that the JIT compilers have compiled it. */
    List<Task> warmUps() {
        List<Task> warmUps = new ArrayList<>();
        for (Workload workload : workloads) {
            for (boolean transaction : modes(workload)) {
                warmUps.add(new Task(workload, transaction, WARM_UP_CLIENTS));
            }
        }
        return warmUps;
    }
}
