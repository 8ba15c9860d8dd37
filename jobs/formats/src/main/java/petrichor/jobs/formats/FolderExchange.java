package petrichor.jobs.formats;

import java.io.IOException;
import java.lang.foreign.Arena;
import java.lang.foreign.FunctionDescriptor;
import java.lang.foreign.Linker;
import java.lang.foreign.ValueLayout;
import java.lang.invoke.MethodHandle;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;

/**
 * Replaces one folder by another. Linux exchanges two names atomically; elsewhere, and on file
 * systems without support, it takes two steps, and {@link #restore} repairs an exchange that was
 * interrupted by a kill. Stateless.
 */
final class FolderExchange {
    private static final int AT_CURRENT_FOLDER = -100;
    private static final int RENAME_EXCHANGE = 2;

    private FolderExchange() {}

    /** Exchanges the names of the new and the old folder. */
    static void replace(Path old, Path fresh) throws IOException {
        if (!exchanged(old, fresh)) {
            inTwoSteps(old, fresh);
        }
    }

    @SuppressWarnings("restricted")
    private static boolean exchanged(Path one, Path other) {
        Linker linker = Linker.nativeLinker();
        var function = linker.defaultLookup().find("renameat2");
        if (function.isEmpty()) {
            return false;
        }
        MethodHandle rename =
                linker.downcallHandle(
                        function.get(),
                        FunctionDescriptor.of(
                                ValueLayout.JAVA_INT,
                                ValueLayout.JAVA_INT,
                                ValueLayout.ADDRESS,
                                ValueLayout.JAVA_INT,
                                ValueLayout.ADDRESS,
                                ValueLayout.JAVA_INT));
        try (Arena arena = Arena.ofConfined()) {
            int result =
                    (int)
                            rename.invokeExact(
                                    AT_CURRENT_FOLDER,
                                    arena.allocateFrom(one.toString()),
                                    AT_CURRENT_FOLDER,
                                    arena.allocateFrom(other.toString()),
                                    RENAME_EXCHANGE);
            return result == 0;
        } catch (Throwable unavailable) {
            return false;
        }
    }

    /** The old folder is moved aside until the new one has its name. */
    static void inTwoSteps(Path old, Path fresh) throws IOException {
        Path aside = aside(fresh);
        Files.move(old, aside, StandardCopyOption.ATOMIC_MOVE);
        Files.move(fresh, old, StandardCopyOption.ATOMIC_MOVE);
        Files.move(aside, fresh, StandardCopyOption.ATOMIC_MOVE);
    }

    /**
     * After a kill between two steps: the old folder gets its name back, or is removed with the
     * staging folder if the new one has it.
     *
     * @return whether the old one was restored
     */
    static boolean restore(Path place, Path fresh) throws IOException {
        Path aside = aside(fresh);
        if (!Files.isDirectory(aside)) {
            return false;
        }
        boolean missing = !Files.exists(place);
        Files.move(aside, missing ? place : fresh, StandardCopyOption.ATOMIC_MOVE);
        return missing;
    }

    private static Path aside(Path fresh) {
        return fresh.resolveSibling(fresh.getFileName() + "-replaced");
    }
}
