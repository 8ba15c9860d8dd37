package petrichor.testing.architecture;

import static com.tngtech.archunit.base.DescribedPredicate.alwaysTrue;
import static com.tngtech.archunit.core.domain.JavaClass.Predicates.resideInAPackage;
import static com.tngtech.archunit.core.domain.JavaClass.Predicates.resideInAnyPackage;
import static com.tngtech.archunit.core.domain.JavaClass.Predicates.resideOutsideOfPackage;
import static com.tngtech.archunit.core.domain.JavaClass.Predicates.resideOutsideOfPackages;
import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.classes;
import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.noClasses;
import static com.tngtech.archunit.library.dependencies.SlicesRuleDefinition.slices;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.tngtech.archunit.core.domain.JavaClasses;
import com.tngtech.archunit.core.importer.ClassFileImporter;
import com.tngtech.archunit.core.importer.ImportOption;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Executor;
import org.junit.jupiter.api.Test;

/** Checks the dependency rules of ARCHITECTURE.md against the class files. */
final class ArrowsPointDownTest {
    static final JavaClasses HOUSE =
            new ClassFileImporter()
                    .withImportOption(new ImportOption.DoNotIncludeTests())
                    .importPackages("petrichor");

    @Test
    void everyLayerKnowsOnlyWhatIsBelowIt() {
        Layers.all().check(HOUSE);
    }

    @Test
    void allClassesWereRead() {
        assertThat(HOUSE).hasSizeGreaterThan(50);
        // The rules must be able to fail: this one forbids an existing dependency.
        assertThatThrownBy(
                        () ->
                                noClasses()
                                        .that()
                                        .resideInAPackage("petrichor.entities..")
                                        .should()
                                        .dependOnClassesThat()
                                        .resideInAPackage("petrichor.transactions..")
                                        .check(HOUSE))
                .isInstanceOf(AssertionError.class);
    }

    @Test
    void modulesFormNoCycle() {
        slices().matching("petrichor.(*)..").should().beFreeOfCycles().check(HOUSE);
    }

    /** Parts of the server depend on its configuration and data, and only the assembly on them. */
    @Test
    void partsOfTheServerFormNoCycle() {
        slices().matching("petrichor.server.(*)..").should().beFreeOfCycles().check(HOUSE);
        noClasses()
                .that()
                .resideInAPackage("petrichor.server.*..")
                .should()
                .dependOnClassesThat()
                .resideInAPackage("petrichor.server")
                .check(HOUSE);
    }

    /** Groups of commands are independent of each other; they share the console and connections. */
    @Test
    void groupsOfCommandsDoNotDependOnEachOther() {
        slices().matching("petrichor.cli.(*)..")
                .should()
                .notDependOnEachOther()
                .ignoreDependency(
                        alwaysTrue(),
                        resideInAnyPackage("petrichor.cli.console", "petrichor.cli.connection"))
                .check(HOUSE);
        noClasses()
                .that()
                .resideInAPackage("petrichor.cli.*..")
                .should()
                .dependOnClassesThat()
                .resideInAPackage("petrichor.cli")
                .check(HOUSE);
    }

    @Test
    void theBaseKnowsNothingButTheJdk() {
        classes()
                .that()
                .resideInAPackage("petrichor.base..")
                .should()
                .onlyDependOnClassesThat()
                .resideInAnyPackage("petrichor.base..", "java..", "org.jspecify..")
                .check(HOUSE);
    }

    /**
     * Front ends and the cluster depend on rpc, which depends on neither of them nor on their
     * requests.
     */
    @Test
    void theRpcLayerKnowsOnlyTheBase() {
        noClasses()
                .that()
                .resideInAPackage("petrichor.rpc..")
                .should()
                .dependOnClassesThat(
                        resideInAPackage("petrichor..")
                                .and(resideOutsideOfPackage("petrichor.rpc.."))
                                .and(resideOutsideOfPackage("petrichor.base..")))
                .check(HOUSE);
    }

    /** Routing and forwarding are below the front ends, not in them. */
    @Test
    void frontEndsDoNotKnowTheClusterNorItsCoordination() {
        noClasses()
                .that()
                .resideInAPackage("petrichor.frontends..")
                .should()
                .dependOnClassesThat()
                .resideInAnyPackage("petrichor.cluster..", "petrichor.coordination..")
                .check(HOUSE);
    }

    @Test
    void onlyTheAssemblyKnowsAStoresPlugin() {
        noClasses()
                .that()
                .resideOutsideOfPackages(
                        "petrichor.kv.memory..",
                        "petrichor.kv.rocksdb..",
                        "petrichor.server..",
                        "petrichor.bench..",
                        "petrichor.testing..")
                .should()
                .dependOnClassesThat()
                .resideInAnyPackage("petrichor.kv.memory..", "petrichor.kv.rocksdb..")
                .check(HOUSE);
    }

    @Test
    void theCommandLineKnowsOfStoresOnlyHowTheyAreDeployed() {
        noClasses()
                .that()
                .resideInAPackage("petrichor.cli..")
                .should()
                .dependOnClassesThat()
                .resideInAPackage("petrichor.kv..")
                .check(HOUSE);
    }

    @Test
    void onlyTheAssemblyKnowsACoordinationService() {
        noClasses()
                .that()
                .resideOutsideOfPackages(
                        "petrichor.coordination.embedded..",
                        "petrichor.coordination.zookeeper..",
                        "petrichor.server..")
                .should()
                .dependOnClassesThat()
                .resideInAnyPackage(
                        "petrichor.coordination.embedded..", "petrichor.coordination.zookeeper..")
                .check(HOUSE);
    }

    @Test
    void channelsKnowBytesAndNothingElseOfAJob() {
        noClasses()
                .that()
                .resideInAPackage("petrichor.jobs.channels..")
                .should()
                .dependOnClassesThat(
                        resideInAPackage("petrichor..")
                                .and(resideOutsideOfPackage("petrichor.jobs.channels.."))
                                .and(resideOutsideOfPackage("petrichor.base..")))
                .check(HOUSE);
    }

    @Test
    void thePartsOfJobsKnowOnlyWhatIsBelowThem() {
        jobsPartKnows("records", "base");
        jobsPartKnows("jobgraph", "base", "jobs.records");
        jobsPartKnows("pact", "base", "jobs.records", "jobs.jobgraph");
        jobsPartKnows("tuning", "base", "jobs.records", "jobs.jobgraph");
        jobsPartKnows("formats", "base", "jobs.records", "jobs.jobgraph");
        jobsPartKnows("engine", "base", "jobs.records", "jobs.jobgraph", "jobs.channels");
        jobsPartKnows("local", "base", "jobs.records", "jobs.jobgraph", "jobs.pact", "jobs.engine");
    }

    @Test
    void packagesOfTheEngineDependOnlyOnLowerOnes() {
        String engine = "petrichor.jobs.engine";
        List<String> upwards =
                List.of(
                        engine + ".memory",
                        engine + ".exchange",
                        engine + ".operators",
                        engine + ".assembly",
                        engine);
        for (int i = 0; i < upwards.size(); i++) {
            packageUsesOnly(upwards.get(i), upwards.subList(0, i));
        }
        packageUsesOnly(engine + ".workers", upwards);
        packageUsesOnly(engine + ".hosted", upwards);
        List<String> all = new ArrayList<>(upwards);
        all.addAll(List.of(engine + ".workers", engine + ".hosted"));
        classes()
                .that()
                .resideInAPackage(engine + "..")
                .should()
                .resideInAnyPackage(all.toArray(new String[0]))
                .check(HOUSE);
    }

    private static void packageUsesOnly(String layer, List<String> below) {
        List<String> known = new ArrayList<>(below);
        known.add(layer);
        noClasses()
                .that()
                .resideInAPackage(layer)
                .should()
                .dependOnClassesThat(
                        resideInAPackage("petrichor.jobs.engine..")
                                .and(resideOutsideOfPackages(known.toArray(new String[0]))))
                .check(HOUSE);
    }

    /** Sorts and joins of records do not depend on tasks or jobs. */
    @Test
    void theEnginesMemoryKnowsRecordsAndNoTasks() {
        jobsPartKnows("engine.memory", "base", "jobs.records", "jobs.channels");
    }

    @Test
    void onlyLeasedJobsDependOnClouds() {
        noClasses()
                .that()
                .resideInAPackage("petrichor.jobs..")
                .and()
                .resideOutsideOfPackages("petrichor.jobs.leased..", "petrichor.jobs.flink..")
                .should()
                .dependOnClassesThat()
                .resideInAPackage("petrichor.cloud..")
                .check(HOUSE);
    }

    @Test
    void cloudsAndLeasingDependOnlyOnTheSpi() {
        for (String part : List.of("simulated", "local", "spot", "leasing")) {
            noClasses()
                    .that()
                    .resideInAPackage("petrichor.cloud." + part + "..")
                    .should()
                    .dependOnClassesThat(
                            resideInAPackage("petrichor..")
                                    .and(resideOutsideOfPackage("petrichor.base.."))
                                    .and(resideOutsideOfPackage("petrichor.cloud"))
                                    .and(resideOutsideOfPackage("petrichor.cloud." + part + "..")))
                    .check(HOUSE);
        }
    }

    @Test
    void jobsMeetTheDatastoreInOnePlaceAndOnlyOverItsApi() {
        noClasses()
                .that()
                .resideInAPackage("petrichor.jobs..")
                .and()
                .resideOutsideOfPackage("petrichor.jobs.entities..")
                .should()
                .dependOnClassesThat()
                .resideInAnyPackage(
                        "petrichor.client..", "petrichor.movement..", "com.google.datastore..")
                .check(HOUSE);
        // The schema of progress uses Protocol Buffers, too.
        noClasses()
                .that()
                .resideInAPackage("petrichor.jobs..")
                .and()
                .resideOutsideOfPackages("petrichor.jobs.entities..", "petrichor.jobs.service..")
                .should()
                .dependOnClassesThat()
                .resideInAPackage("com.google.protobuf..")
                .check(HOUSE);
        noClasses()
                .that()
                .resideInAPackage("petrichor.jobs.entities..")
                .should()
                .dependOnClassesThat()
                .resideInAnyPackage(
                        "petrichor.entities..", "petrichor.jobs.engine..", "petrichor.jobs.pact..")
                .check(HOUSE);
    }

    @Test
    void onlyOneModuleKnowsParquetsLibrary() {
        noClasses()
                .that()
                .resideOutsideOfPackage("petrichor.jobs.parquet..")
                .should()
                .dependOnClassesThat()
                .resideInAPackage("org.apache.parquet..")
                .check(HOUSE);
    }

    /** Parquet's library and HBase's driver need them; an experiment runs Hadoop programs. */
    @Test
    void onlyOneModuleAndWhatRunsItsProgramsKnowHadoop() {
        noClasses()
                .that()
                .resideOutsideOfPackages(
                        "petrichor.jobs.mapreduce..",
                        "petrichor.jobs.parquet..",
                        "petrichor.bench.cloud..",
                        "petrichor.bench.drivers.stores..")
                .should()
                .dependOnClassesThat()
                .resideInAPackage("org.apache.hadoop..")
                .check(HOUSE);
    }

    @Test
    void onlyOneModuleKnowsFlink() {
        noClasses()
                .that()
                .resideOutsideOfPackage("petrichor.jobs.flink..")
                .should()
                .dependOnClassesThat()
                .resideInAPackage("org.apache.flink..")
                .check(HOUSE);
    }

    private static void jobsPartKnows(String part, String... below) {
        String own = "petrichor.jobs." + part;
        List<String> known = new ArrayList<>(List.of("java..", "org.jspecify..", own + ".."));
        for (String other : below) {
            known.add("petrichor." + other + "..");
        }
        if (part.equals("formats")) {
            // The libraries for compressed files.
            known.addAll(List.of("com.github.luben.zstd..", "org.apache.commons.compress.."));
        }
        classes()
                .that()
                .resideInAPackage(own + "..")
                .should()
                .onlyDependOnClassesThat()
                .resideInAnyPackage(known.toArray(new String[0]))
                .check(HOUSE);
    }

    /** The simulation replaces the scheduler and the clock. */
    @Test
    void databasesHaveNoThreadsAndClocksOfTheirOwn() {
        noClasses()
                .that()
                .resideInAPackage("petrichor.transactions..")
                .and()
                .haveNameNotMatching(".*\\.(SystemScheduler|ThreadLoop|StoreLease)(\\$.*)?")
                .should()
                .callMethod(System.class, "nanoTime")
                .orShould()
                .callMethod(System.class, "currentTimeMillis")
                .orShould()
                .callMethod(Instant.class, "now")
                .orShould()
                .callMethod(Thread.class, "ofPlatform")
                .orShould()
                .callMethod(Thread.class, "ofVirtual")
                .orShould()
                .callMethod(Thread.class, "startVirtualThread", Runnable.class)
                .orShould()
                .callMethod(Thread.class, "sleep", long.class)
                .orShould()
                .callMethod(Object.class, "wait", long.class)
                .orShould()
                .dependOnClassesThat()
                .areAssignableTo(Executor.class)
                .check(HOUSE);
    }

    @Test
    void thePackagesOfTransactionsKnowOnlyThoseBelow() {
        List<String> parts =
                List.of(
                        "scheduling",
                        "rows",
                        "locks",
                        "log",
                        "commit",
                        "migration",
                        "ring",
                        "databases");
        String own = "petrichor.transactions";
        for (int part = 0; part <= parts.size(); part++) {
            String[] above =
                    parts.subList(part, parts.size()).stream()
                            .map(name -> own + "." + name + "..")
                            .toArray(String[]::new);
            if (above.length > 0) {
                noClasses()
                        .that()
                        .resideInAPackage(part == 0 ? own : own + "." + parts.get(part - 1) + "..")
                        .should()
                        .dependOnClassesThat()
                        .resideInAnyPackage(above)
                        .check(HOUSE);
            }
        }
    }

    @Test
    void meaninglessNamesAreForbidden() {
        noClasses()
                .should()
                .haveSimpleNameEndingWith("Impl")
                .orShould()
                .haveSimpleNameEndingWith("Manager")
                .orShould()
                .haveSimpleNameEndingWith("Helper")
                .orShould()
                .haveSimpleNameEndingWith("Util")
                .orShould()
                .haveSimpleNameEndingWith("Utils")
                .orShould()
                .haveSimpleNameStartingWith("Abstract")
                .check(HOUSE);
    }
}
