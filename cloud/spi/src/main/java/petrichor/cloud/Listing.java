package petrichor.cloud;

import java.util.List;

/** The cloud's answer about all machines of an owner. */
public sealed interface Listing {
    /**
     * Some of the machines, possibly all. A missing machine may exist nevertheless: absence from a
     * listing is not evidence of termination.
     *
     * @param complete false if the cloud reports that it omitted rows
     */
    record Rows(List<Row> rows, boolean complete) implements Listing {
        public Rows {
            rows = List.copyOf(rows);
        }
    }

    /** The cloud did not answer. */
    record NotNow(String reason) implements Listing {}

    /** One row of a listing. An invalid row does not affect the others. */
    sealed interface Row {
        record Seen(Instance instance) implements Row {}

        /**
         * @param id as far as it was readable
         */
        record Garbled(String id, String problem) implements Row {}
    }
}
