//! The subcommands of a command, each of which has a `run` of its own.

/// Makes an enum of subcommands, whose `run` does what the one says that was typed. What is behind `=>` is
/// run instead of `run()`. With `struct Args with` before it also the `Args` of the command that has them.
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
            /// Does what the subcommand says.
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
