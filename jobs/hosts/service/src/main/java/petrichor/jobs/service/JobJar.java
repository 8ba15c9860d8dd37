package petrichor.jobs.service;

import java.io.IOException;
import java.lang.reflect.InvocationTargetException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;
import java.util.function.Supplier;
import java.util.jar.Attributes;
import java.util.jar.JarFile;
import java.util.jar.Manifest;
import org.jspecify.annotations.Nullable;
import petrichor.base.ErrorCode;
import petrichor.base.FileProblem;
import petrichor.base.PetrichorException;
import petrichor.jobs.engine.JarClasses;
import petrichor.jobs.local.Arguments;
import petrichor.jobs.local.ForeignPrograms;
import petrichor.jobs.local.JobProgram;
import petrichor.jobs.local.PlanFiles;
import petrichor.jobs.local.PlanRunner;
import petrichor.jobs.pact.Plan;

/**
 * The opened jar of a job, with a class loader of its own ({@link JarClasses}), whose parent has
 * Petrichor's classes. Closing it closes the file; running jobs must have ended before. Instead of
 * a jar it may be a document that another language's front end has written.
 */
public final class JobJar implements AutoCloseable {
    /**
     * The former name of RecordView, referenced by jars that were compiled for earlier versions.
     */
    private static final String FORMER_RECORD = "petrichor/jobs/records/Record";

    private final Path file;
    private final JarClasses classes;

    private JobJar(Path file, JarClasses classes) {
        this.file = file;
        this.classes = classes;
    }

    public static JobJar open(Path file) {
        if (!Files.isRegularFile(file)) {
            throw PetrichorException.of(
                    ErrorCode.NOT_FOUND, "there is no jar {file}", "file", file);
        }
        return new JobJar(file, JarClasses.of(List.of(file), JobJar.class.getClassLoader()));
    }

    /**
     * Runs the program to write its plan. An exception in its code is reported as the program's
     * failure.
     *
     * @param program name of the class; null for the one that the manifest names
     */
    public Plan plan(@Nullable String program, Arguments arguments) {
        if (PlanFiles.isDocument(file)) {
            refuseWhatADocumentIgnores(program, arguments);
            return PlanFiles.installed().read(file);
        }
        String name = program == null ? mainClass() : program;
        Class<?> found = find(name);
        return asContext(() -> plan(name, found, arguments));
    }

    private static Plan plan(String name, Class<?> found, Arguments arguments) {
        try {
            return JobProgram.class.isAssignableFrom(found)
                    ? program(name, found).plan(arguments)
                    : foreign(name, found, arguments);
        } catch (PetrichorException refused) {
            throw refused;
        } catch (Exception | LinkageError failed) {
            StackTraceElement[] stack = failed.getStackTrace();
            throw PetrichorException.of(
                    ErrorCode.INVALID_ARGUMENT,
                    failed,
                    "{program} failed while building its plan: {reason}{place}",
                    "program",
                    name,
                    "reason",
                    reason(failed),
                    "place",
                    stack.length == 0 ? "" : ", at " + stack[0]);
        }
    }

    /**
     * Runs an action on this thread with the jar's class loader as its context class loader, which
     * threads started there inherit: libraries look up a program's classes by it (Hadoop's
     * configuration, {@code ServiceLoader}, JDBC).
     */
    <T> T asContext(Supplier<T> what) {
        Thread here = Thread.currentThread();
        ClassLoader before = here.getContextClassLoader();
        here.setContextClassLoader(classes);
        try {
            return what.get();
        } finally {
            here.setContextClassLoader(before);
        }
    }

    /**
     * The class whose {@code main} is the job; null if the job is a class or a document that
     * defines a plan.
     */
    @Nullable Class<?> main(@Nullable String program) {
        if (PlanFiles.isDocument(file)) {
            return null;
        }
        Class<?> found = find(program == null ? mainClass() : program);
        boolean isMain =
                !JobProgram.class.isAssignableFrom(found)
                        && ForeignPrograms.hasMain(found)
                        && !ForeignPrograms.installed().isEmpty();
        return isMain ? found : null;
    }

    /** Runs such a {@code main} to its end, on this thread. */
    void runMain(Class<?> found, Arguments arguments, PlanRunner runner) throws Exception {
        ForeignPrograms.installed().getFirst().run(found, arguments.words(), runner);
    }

    /**
     * A document is a plan already: class names and arguments would be ignored, so they are
     * refused.
     */
    private void refuseWhatADocumentIgnores(@Nullable String program, Arguments arguments) {
        if (program != null) {
            throw PetrichorException.invalid(
                    "{file} is a plan and has no classes: omit --class {program}",
                    "file",
                    file.getFileName(),
                    "program",
                    program);
        }
        if (!arguments.isEmpty()) {
            throw PetrichorException.invalid(
                    "{file} is a complete plan and takes no arguments: pass them to the script that"
                            + " writes the plan",
                    "file",
                    file.getFileName());
        }
    }

    private String mainClass() {
        try (JarFile jar = new JarFile(file.toFile())) {
            Manifest manifest = jar.getManifest();
            String name =
                    manifest == null
                            ? null
                            : manifest.getMainAttributes().getValue(Attributes.Name.MAIN_CLASS);
            if (name == null) {
                throw PetrichorException.invalid(
                        "the manifest of {file} has no Main-Class; name the class of the job with"
                                + " --class",
                        "file",
                        file.getFileName());
            }
            return name;
        } catch (IOException e) {
            throw FileProblem.of("cannot read " + file.getFileName() + " as a jar", e);
        }
    }

    /** The plan of a program that was written for another system. */
    private static Plan foreign(String name, Class<?> found, Arguments arguments) throws Exception {
        if (ForeignPrograms.hasMain(found)) {
            for (ForeignPrograms each : ForeignPrograms.installed()) {
                Optional<Plan> plan = each.plan(found, arguments.words());
                if (plan.isPresent()) {
                    return plan.get();
                }
            }
        }
        throw PetrichorException.invalid(
                "{name} is not a job: it must implement {class} or submit a Hadoop job in its main;"
                        + " or name another class",
                "name",
                name,
                "class",
                JobProgram.class.getName());
    }

    private Class<?> find(String name) {
        try {
            return Class.forName(name, true, classes);
        } catch (ClassNotFoundException missing) {
            throw PetrichorException.of(
                    ErrorCode.NOT_FOUND,
                    "there is no class {name} in {file}",
                    "name",
                    name,
                    "file",
                    file.getFileName());
        } catch (LinkageError failed) {
            throw notStarted(name, failed);
        }
    }

    private static PetrichorException notStarted(String name, Throwable failed) {
        return PetrichorException.invalid(
                "{name} cannot be started: {reason}",
                "name",
                name,
                "reason",
                reason(failed.getCause() == null ? failed : failed.getCause()));
    }

    private static String reason(Throwable failed) {
        boolean former =
                failed instanceof LinkageError
                        && String.valueOf(failed.getMessage()).contains(FORMER_RECORD);
        return former
                ? failed
                        + " is now RecordView: the jar was compiled against an earlier version of"
                        + " Petrichor, compile it again"
                : failed.toString();
    }

    private static JobProgram program(String name, Class<?> found) {
        try {
            return (JobProgram) found.getConstructor().newInstance();
        } catch (NoSuchMethodException | InstantiationException | IllegalAccessException e) {
            throw PetrichorException.invalid(
                    "{name} must be a public class with a public constructor without parameters",
                    "name",
                    name);
        } catch (InvocationTargetException | LinkageError failed) {
            throw notStarted(name, failed);
        }
    }

    @Override
    public void close() {
        try {
            classes.close();
        } catch (IOException e) {
            // Nothing is lost: the file was only read.
        }
    }
}
