package petrichor.cloud;

import java.util.List;

/** What a cloud says of all machines of an owner. */
public sealed interface Listing {
    /**
     * Some of them, perhaps all. What is missing may be there nevertheless: that a machine is not
     * listed proves nothing.
     *
     * @param complete false if the cloud itself says that it left some out
     */
    record Rows(List<Row> rows, boolean complete) implements Listing {
        public Rows {
            rows = List.copyOf(rows);
        }
    }

    /** No answer now. */
    record NotNow(String reason) implements Listing {}

    /** One row of the answer. An invalid row does not affect the others. */
    sealed interface Row {
        record Seen(Instance instance) implements Row {}

        /**
         * @param id as far as it could be read
         */
        record Garbled(String id, String problem) implements Row {}
    }
}
