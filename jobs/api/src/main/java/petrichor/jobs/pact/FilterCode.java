package petrichor.jobs.pact;

import java.io.Serializable;
import petrichor.jobs.records.RecordView;

/** A predicate: whether a record is kept. */
@FunctionalInterface
public interface FilterCode extends Serializable {
    boolean keeps(RecordView record) throws Exception;
}
