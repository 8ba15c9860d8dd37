package petrichor.jobs.engine.operators;

import petrichor.base.PetrichorException;
import petrichor.jobs.records.Out;
import petrichor.jobs.records.RecordBuilder;
import petrichor.jobs.records.RecordType;
import petrichor.jobs.records.RecordView;
import petrichor.jobs.records.UserCode;

/** The output of user code: checks records, and passes them to the next stage. */
final class ChainCollector implements Out {
    private final RecordType type;
    private final RecordBuilder builder;
    private final ChainedOperator next;

    /** The type that was checked last: one comparison for all records of a task. */
    private RecordType known;

    ChainCollector(RecordType type, ChainedOperator next) {
        this.type = type;
        this.builder = new RecordBuilder(type, next);
        this.next = next;
        this.known = type;
    }

    @Override
    public RecordBuilder record() {
        return builder.start();
    }

    @Override
    @SuppressWarnings("ReferenceEquality") // a fast path before comparing values
    public void emit(RecordView record) {
        if (record == null) {
            throw PetrichorException.invalid("null was emitted instead of a record");
        }
        if (record.type() != known) {
            if (!record.type().equals(type)) {
                throw PetrichorException.invalid(
                        "a record of type {type} was emitted; the output requires {requiredType}",
                        "type",
                        record.type(),
                        "requiredType",
                        type);
            }
            known = record.type();
        }
        next.accept(record);
    }

    /** Ends the user code: emits the records that it kept back. */
    void finish(UserCode code, String step) {
        try {
            code.finish(this);
        } catch (Throwable e) {
            throw UserCodeFailure.of(step, e);
        }
    }

    ChainedOperator next() {
        return next;
    }
}
