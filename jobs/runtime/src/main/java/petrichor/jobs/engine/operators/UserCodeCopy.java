package petrichor.jobs.engine.operators;

import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.ObjectInputStream;
import java.io.ObjectOutputStream;
import java.io.ObjectStreamClass;
import java.io.OutputStream;
import java.util.ArrayDeque;
import java.util.Deque;
import petrichor.base.PetrichorException;
import petrichor.jobs.records.UserCode;

/**
 * Gives every subtask user code of its own, with all that it holds: subtasks run at the same time,
 * and code that keeps a slice or a counter must not share it. Stateless.
 */
final class UserCodeCopy {
    private UserCodeCopy() {}

    /**
     * A copy of the code.
     *
     * @param step whose code it is, for the failure's text
     */
    @SuppressWarnings("unchecked") // a copy is of the class of its original
    static <C extends UserCode> C of(C code, String step) {
        try {
            ByteArrayOutputStream bytes = new ByteArrayOutputStream();
            Deque<Class<?>> classes = new ArrayDeque<>();
            try (ObjectOutputStream out = new Writing(bytes, classes)) {
                out.writeObject(code);
            }
            try (ObjectInputStream in =
                    new Reading(new ByteArrayInputStream(bytes.toByteArray()), classes)) {
                return (C) in.readObject();
            }
        } catch (IOException | ClassNotFoundException e) {
            throw PetrichorException.invalid(
                    "the code of \""
                            + step
                            + "\" cannot be copied to its subtasks: "
                            + e
                            + "; objects captured by its functions must be serializable");
        }
    }

    /** Remembers the classes of what it writes, in the order in which they are read again. */
    private static final class Writing extends ObjectOutputStream {
        private final Deque<Class<?>> classes;

        Writing(OutputStream out, Deque<Class<?>> classes) throws IOException {
            super(out);
            this.classes = classes;
        }

        @Override
        protected void annotateClass(Class<?> written) {
            classes.add(written);
        }

        @Override
        protected void annotateProxyClass(Class<?> written) {
            classes.add(written);
        }
    }

    /**
     * A copy is of the very classes of its original, whichever class loaders they come from: code
     * of ours may hold classes of a user's jar.
     */
    private static final class Reading extends ObjectInputStream {
        private final Deque<Class<?>> classes;

        Reading(InputStream in, Deque<Class<?>> classes) throws IOException {
            super(in);
            this.classes = classes;
        }

        @Override
        protected Class<?> resolveClass(ObjectStreamClass description) {
            return classes.remove();
        }

        @Override
        protected Class<?> resolveProxyClass(String[] interfaces) {
            return classes.remove();
        }
    }
}
