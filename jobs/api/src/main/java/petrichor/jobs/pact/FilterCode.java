package petrichor.jobs.pact;

import java.io.Serializable;
import petrichor.jobs.records.RecordView;

/** Whether a record stays. */
@FunctionalInterface
public interface FilterCode extends Serializable {
    boolean keeps(RecordView record) throws Exception;
}
