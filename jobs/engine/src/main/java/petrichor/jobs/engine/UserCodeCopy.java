package petrichor.jobs.engine;

import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.ObjectInputStream;
import java.io.ObjectOutputStream;
import java.io.ObjectStreamClass;
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
            try (ObjectOutputStream out = new ObjectOutputStream(bytes)) {
                out.writeObject(code);
            }
            ClassLoader loader = code.getClass().getClassLoader();
            try (ObjectInputStream in =
                    new Copying(new ByteArrayInputStream(bytes.toByteArray()), loader)) {
                return (C) in.readObject();
            }
        } catch (IOException | ClassNotFoundException e) {
            throw PetrichorException.invalid(
                    "the code of \""
                            + step
                            + "\" cannot be copied to its subtasks: "
                            + e
                            + "; what it uses from around it must be serializable");
        }
    }

    /** Finds classes where the code's own class was found. */
    private static final class Copying extends ObjectInputStream {
        private final ClassLoader loader;

        Copying(InputStream in, ClassLoader loader) throws IOException {
            super(in);
            this.loader = loader;
        }

        @Override
        protected Class<?> resolveClass(ObjectStreamClass description)
                throws IOException, ClassNotFoundException {
            try {
                return Class.forName(description.getName(), false, loader);
            } catch (ClassNotFoundException e) {
                return super.resolveClass(description);
            }
        }
    }
}
