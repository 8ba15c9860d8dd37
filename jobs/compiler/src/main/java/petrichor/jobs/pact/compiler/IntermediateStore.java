package petrichor.jobs.pact.compiler;

import petrichor.jobs.jobgraph.Sink;
import petrichor.jobs.jobgraph.Source;
import petrichor.jobs.records.RecordType;

/**
 * Keeps records between the parts of a program, under names. Implemented by the runner of the
 * program: the compiler only requests the two ends.
 */
public interface IntermediateStore {
    Sink sink(String name, RecordType type);

    Source source(String name, RecordType type);

    /** For plans without iterations. */
    static IntermediateStore none() {
        return new IntermediateStore() {
            @Override
            public Sink sink(String name, RecordType type) {
                throw new UnsupportedOperationException("no results are kept here: " + name);
            }

            @Override
            public Source source(String name, RecordType type) {
                throw new UnsupportedOperationException("no results are kept here: " + name);
            }
        };
    }
}
