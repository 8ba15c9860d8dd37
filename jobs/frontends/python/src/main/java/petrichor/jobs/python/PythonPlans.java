package petrichor.jobs.python;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import petrichor.base.FileProblem;
import petrichor.jobs.local.PlanFiles;
import petrichor.jobs.pact.Plan;

/** Reads plans written by the Python front end. Stateless. */
public final class PythonPlans implements PlanFiles {
    @Override
    public Plan read(Path document) {
        try {
            return PlanDocument.plan(Files.readString(document));
        } catch (IOException e) {
            throw FileProblem.of("cannot read " + document, e);
        }
    }
}
