package petrichor.jobs.testkit;

import java.io.InvalidObjectException;
import java.io.ObjectStreamException;
import java.io.Serializable;
import java.lang.ref.WeakReference;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicLong;

/**
 * An object that keeps its identity through serialization within a process, so that a serialized
 * sink fills the list that the test holds.
 */
record IdentityReference(long number) implements Serializable {
    private static final AtomicLong NUMBERS = new AtomicLong();
    private static final Map<Long, WeakReference<Object>> OBJECTS = new ConcurrentHashMap<>();

    static IdentityReference of(Object object) {
        long number = NUMBERS.incrementAndGet();
        OBJECTS.put(number, new WeakReference<>(object));
        return new IdentityReference(number);
    }

    private Object readResolve() throws ObjectStreamException {
        WeakReference<Object> reference = OBJECTS.get(number);
        Object object = reference == null ? null : reference.get();
        if (object == null) {
            throw new InvalidObjectException("it was sent by another process, or is forgotten");
        }
        return object;
    }
}
