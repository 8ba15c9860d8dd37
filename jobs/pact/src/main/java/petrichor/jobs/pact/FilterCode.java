package petrichor.jobs.pact;

import java.io.Serializable;
import petrichor.jobs.records.Record;

/** Whether a record stays. */
@FunctionalInterface
public interface FilterCode extends Serializable {
    boolean keeps(Record record) throws Exception;
}
