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
 * Gives every subtask its own copy of user code, with all that it references: subtasks run
 * concurrently, and must not share a view or a counter that the code keeps. Stateless.
 */
final class UserCodeCopy {
    private UserCodeCopy() {}

    /**
     * A copy of the code.
     *
     * @param step names the step in a failure
     */
    @SuppressWarnings("unchecked") // a copy has the class of its original
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
                    "the code of \"{step}\" cannot be copied to its subtasks: {reason}; objects"
                            + " captured by its functions must be serializable",
                    "step",
                    step,
                    "reason",
                    e);
        }
    }

    /** Remembers the classes it writes, in the order in which they are read again. */
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
     * A copy has the very classes of its original, from any class loader: Petrichor's code may
     * reference classes of a user's jar.
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
