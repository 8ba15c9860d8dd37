package petrichor.jobs.engine;

import java.net.InetSocketAddress;
import java.util.ArrayList;
import java.util.List;
import petrichor.jobs.channels.Exchange;
import petrichor.jobs.jobgraph.JobVertex;

/** Where the subtasks of a job are, seen from one of its worker processes. */
final class WorkerPlacement implements Placement {
    /** Parallelism is below 2^10; an edge's number and two subtasks make a channel's number. */
    private static final int SUBTASK_BITS = 12;

    private final int worker;
    private final List<InetSocketAddress> addresses;
    private final Exchange exchange;
    private final BlockPool pool;
    private final JobControl control;

    WorkerPlacement(
            int worker,
            List<InetSocketAddress> addresses,
            Exchange exchange,
            BlockPool pool,
            JobControl control) {
        this.worker = worker;
        this.addresses = List.copyOf(addresses);
        this.exchange = exchange;
        this.pool = pool;
        this.control = control;
    }

    @Override
    public boolean alone() {
        return false;
    }

    @Override
    public boolean isHere(int subtask) {
        return subtask % addresses.size() == worker;
    }

    @Override
    public Receiver elsewhere(int edge, int sender, int receiver) {
        return new NetworkReceiver(
                exchange.writer(
                        channel(edge, sender, receiver),
                        addresses.get(receiver % addresses.size())),
                exchange.pool());
    }

    @Override
    public void receive(int edge, int sender, int receiver, int slot, Gate gate) {
        Thread.ofVirtual()
                .name("inlet of edge " + edge)
                .start(
                        new NetworkInlet(
                                exchange.reader(channel(edge, sender, receiver)),
                                gate,
                                slot,
                                pool,
                                control));
    }

    @Override
    public <S> List<S> splits(List<S> all, JobVertex vertex, int subtask) {
        List<S> mine = new ArrayList<>();
        for (int i = subtask; i < all.size(); i += vertex.parallelism()) {
            mine.add(all.get(i));
        }
        return mine;
    }

    private static long channel(int edge, int sender, int receiver) {
        return ((long) edge << SUBTASK_BITS | sender) << SUBTASK_BITS | receiver;
    }
}
