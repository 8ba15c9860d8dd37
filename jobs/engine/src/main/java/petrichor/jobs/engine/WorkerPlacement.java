package petrichor.jobs.engine;

import petrichor.jobs.channels.Exchange;
import petrichor.jobs.jobgraph.JobEdge;
import petrichor.jobs.jobgraph.JobGraph;
import petrichor.jobs.jobgraph.JobVertex;

import java.net.InetSocketAddress;
import java.util.ArrayList;
import java.util.List;

/** Where the subtasks of a job are, seen from one of its worker processes. */
final class WorkerPlacement implements Placement {
    /** Parallelism is below 2^10; an edge's number and two subtasks make a channel's number. */
    private static final int SUBTASK_BITS = 12;

    private final JobGraph graph;
    private final int worker;
    private final List<InetSocketAddress> addresses;
    private final Exchange exchange;
    private final BlockPool pool;
    private final JobControl control;

    WorkerPlacement(
            JobGraph graph,
            int worker,
            List<InetSocketAddress> addresses,
            Exchange exchange,
            BlockPool pool,
            JobControl control) {
        this.graph = graph;
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
    public Receiver elsewhere(JobEdge edge, int sender, int receiver) {
        return new NetworkReceiver(
                exchange.writer(
                        channel(edge, sender, receiver),
                        addresses.get(receiver % addresses.size())),
                exchange.pool());
    }

    @Override
    public void receive(JobEdge edge, int sender, int receiver, int slot, Gate gate) {
        Thread.ofVirtual()
                .name("inlet " + edge.from() + " to " + edge.to())
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

    private long channel(JobEdge edge, int sender, int receiver) {
        long number = graph.edges().indexOf(edge);
        return (number << SUBTASK_BITS | sender) << SUBTASK_BITS | receiver;
    }
}
