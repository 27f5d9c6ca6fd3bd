//! The subcommands of a command, each with its own `run`.

/// Generates an enum of subcommands, whose `run` executes the chosen one. The expression after `=>` is
/// evaluated instead of `run()`. With `struct Args with` before it, also generates the `Args` of their
/// command.
#[macro_export]
macro_rules! commands {
    ($(#[$meta:meta])* struct Args with $commands:ident { $($rows:tt)* }) => {
        #[derive(clap::Args)]
        $(#[$meta])*
        pub(crate) struct Args {
            #[command(subcommand)]
            command: $commands,
        }

        impl Args {
            /// Executes the subcommand.
            ///
            /// # Errors
            /// As each subcommand.
            pub(crate) fn run(&self) -> $crate::failure::Outcome {
                self.command.run()
            }
        }

        $crate::commands! { enum $commands { $($rows)* } }
    };
    (enum $commands:ident { $($(#[$of:meta])* $name:ident($args:ty) $(=> $run:expr)?,)* }) => {
        #[derive(clap::Subcommand)]
        enum $commands {
            $($(#[$of])* $name($args),)*
        }

        impl $commands {
            fn run(&self) -> $crate::failure::Outcome {
                match self {
                    $($commands::$name(args) => $crate::commands!(@run args $($run)?),)*
                }
            }
        }
    };
    (@run $args:ident) => { $args.run() };
    (@run $args:ident $run:expr) => { $run($args) };
}
