package petrichor.jobs.pact.compiler;

import java.util.List;
import petrichor.jobs.jobgraph.InputOrder;
import petrichor.jobs.jobgraph.Shipping;
import petrichor.jobs.jobgraph.Step;

/**
 * How the records of one candidate are shipped to another.
 *
 * @param before steps on the sender's side: combiners
 */
record DataTransfer(Candidate from, Shipping shipping, InputOrder order, List<Step> before) {
    DataTransfer {
        before = List.copyOf(before);
    }

    static DataTransfer forward(Candidate from) {
        return new DataTransfer(from, new Shipping.Forward(), InputOrder.asTheyCome(), List.of());
    }

    static DataTransfer of(Candidate from, Shipping shipping, InputOrder order) {
        return new DataTransfer(from, shipping, order, List.of());
    }

    boolean isForward() {
        return shipping instanceof Shipping.Forward;
    }
}
