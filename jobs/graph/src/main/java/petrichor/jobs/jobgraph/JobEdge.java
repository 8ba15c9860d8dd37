package petrichor.jobs.jobgraph;

import java.io.Serializable;
import petrichor.base.PetrichorException;

/**
 * Records flow from every subtask of one vertex to input {@code input} of another.
 *
 * @param from id of the producing vertex
 * @param to id of the consuming vertex
 * @param input number of the consumer's input, from 0
 */
public record JobEdge(int from, int to, int input, Shipping shipping, ChannelType channel)
        implements Serializable {
    public JobEdge {
        if (input < 0) {
            throw PetrichorException.invalid(
                    "inputs are numbered from 0, not from {input}", "input", input);
        }
    }
}
