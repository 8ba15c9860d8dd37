package petrichor.workflows;

import com.google.cloud.datastore.FullEntity;

/** Receives what a function of a {@link MapReduce} yields. */
public interface Emitter {
    /** A pair for the reducer; the value is one for {@link Values}. */
    void emit(String key, Object value);

    /** An entity to be stored; the datastore chooses the id of an incomplete key. */
    void store(FullEntity<?> entity);
}
