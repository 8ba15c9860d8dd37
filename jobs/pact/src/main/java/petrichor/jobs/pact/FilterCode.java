package petrichor.jobs.pact;

import petrichor.jobs.records.Record;

import java.io.Serializable;

/** Whether a record stays. */
@FunctionalInterface
public interface FilterCode extends Serializable {
    boolean keeps(Record record) throws Exception;
}
